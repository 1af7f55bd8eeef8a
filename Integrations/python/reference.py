"""Writes the reference of the package (docs/python-reference.md) from its docstrings.

usage: reference.py [--check] FILE

With --check it compares the file only.
"""

import inspect
import sys
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import flourish

HEAD = """# Reference of the Python package

Made from the docstrings of the package by `Integrations/python/reference.py`. The guide is [python.md](python.md).
"""


def signature(function: Any) -> str:
    """Return the parameters of a function, with their types."""
    found = inspect.signature(function)
    words = []
    is_named = False
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            words.append("*")
            is_named = True
        mark = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        words.append(f"{mark}{parameter.name}: {parameter.annotation}{default}")
    return f"({', '.join(words)}) -> {found.return_annotation}"


def lines_of(text: str) -> list[str]:
    """Return the lines of a docstring."""
    return inspect.cleandoc(text).splitlines()


def of_class(name: str, kind: type) -> list[str]:
    """Return the section of a class."""
    lines = ["", f"### {name}", ""]
    if issubclass(kind, flourish.Event) and kind is not flourish.Event:
        names = [item for item, known in flourish.events.KINDS.items() if known is kind]
        lines += [*lines_of(kind.__doc__ or ""), "", f"Emitted as {' and '.join(f'`{item}`' for item in names)}."]
    else:
        lines += lines_of(kind.__doc__ or "")
    if is_dataclass(kind):
        inherited = {each.name for base in kind.__mro__[1:] if is_dataclass(base) for each in fields(base)}
        own = [each for each in fields(kind) if each.name not in inherited]
        lines += ["", "| field | type |", "| --- | --- |"]
        for each in own:
            is_optional = each.default is not MISSING or each.default_factory is not MISSING
            shown = str(each.type).replace(" | None", " or None").replace("|", "or")
            lines.append(f"| `{each.name}` | `{shown}`{', may be absent' if is_optional else ''} |")
    if not issubclass(kind, BaseException):
        for member, value in vars(kind).items():
            if member.startswith("_") and member != "__init__":
                continue
            if isinstance(value, property):
                lines += ["", f"#### {name}.{member}", "", *lines_of(value.__doc__ or "")]
            elif isinstance(value, classmethod) or (inspect.isfunction(value) and member != "__init__"):
                function = value.__func__ if isinstance(value, classmethod) else value
                shown = signature(getattr(kind, member)) if isinstance(value, classmethod) else signature(value)
                lines += ["", f"#### {name}.{member}", "", "```python", f"{member}{shown}", "```", ""]
                lines += lines_of(function.__doc__ or "")
            elif member == "__init__" and not is_dataclass(kind):
                lines += ["", "```python", f"{name}{signature(value).replace(' -> None', '')}", "```"]
    return lines


def reference() -> str:
    """Return the page."""
    classes = {
        name: value for name, value in vars(flourish).items() if name in flourish.__all__ and inspect.isclass(value)
    }
    functions = {name: getattr(flourish, name) for name in flourish.__all__ if name not in classes}
    lines = HEAD.splitlines()
    lines += ["", "## Recordings"]
    lines += ["", *lines_of(inspect.getdoc(flourish.recordings) or "")[2:]]
    for name in ("filter", "detect", "plan", "program_path", "read_events", "parse_event", "version"):
        function = functions.pop(name)
        lines += ["", f"### {name}", "", "```python", f"{name}{signature(function)}", "```", ""]
        lines += lines_of(function.__doc__ or "")
    assert not functions, functions
    for name in ("Plan", "Result"):
        lines += of_class(name, classes.pop(name))
    lines += ["", "## Frames", *of_class("Processor", classes.pop("Processor")), "", "## Events"]
    lines += ["", *lines_of(inspect.getdoc(flourish.events) or "")]
    names = [name for name in classes if not issubclass(classes[name], BaseException)]
    # The base first, then the kinds in the order of their file.
    names.sort(key=lambda name: inspect.getsourcelines(classes[name])[1])
    for name in names:
        lines += of_class(name, classes.pop(name))
    lines += ["", "## Errors", "", *lines_of(inspect.getdoc(flourish.errors) or "")]
    for name in sorted(classes, key=lambda name: inspect.getsourcelines(classes[name])[1]):
        lines += of_class(name, classes[name])
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run the program."""
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[0] != "--check"):
        sys.exit(__doc__)
    file = Path(arguments[-1])
    text = reference()
    if len(arguments) == 1:
        file.write_text(text, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != text:
        sys.exit(f"{file} is not that of the docstrings; run Integrations/python/reference.py {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
