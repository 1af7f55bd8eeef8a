"""Reactions in recordings: the program `flourish`, which the wheel contains.

Options of the program are keyword arguments: `hold=0.7` is `--hold 0.7`, `no_gestures=True` is `--no-gestures`, and
`reaction=["confetti@3", "heart@5"]` gives `--reaction` twice. `flourish filter --help-all` lists them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn, Union

from . import errors
from ._library import NATIVE
from .events import Event, field_name, parse_event

PathLike = Union[str, "os.PathLike[str]"]
Option = Union[str, int, float, bool, "os.PathLike[str]", "list[str]", "tuple[str, ...]", None]

_ERRORS: dict[int, type[errors.Error]] = {
    64: errors.InvalidArgument,
    65: errors.FileUnusable,
    66: errors.FileUnavailable,
    69: errors.Unavailable,
    73: errors.FileUnavailable,
    74: errors.FileUnavailable,
}


@dataclass(frozen=True)
class Result:
    """The result of `filter`.

    - `output`: the file that was written; of an interrupted run perhaps another than was named.
    - `frames`, `seconds`: frames and seconds of video that were processed.
    - `interrupted`: whether the run was stopped before the input's end.
    - `reactions`: the reactions shown, each with `reactionType` and `time`.
    - `frames_encoded`: frames that were encoded rather than copied.
    - `warnings`: lines of English text.
    """

    output: str
    frames: int
    seconds: float
    interrupted: bool
    reactions: list[dict[str, Any]]
    bytes: int | None = None
    frames_encoded: int | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass
class Plan:
    """The reactions of a recording, to be edited and rendered; docs/plan.md describes its fields.

    `document` is the whole plan, as in its file.
    """

    document: dict[str, Any]

    @property
    def reactions(self) -> list[dict[str, Any]]:
        """The reactions; change, add or remove them, or set `enabled` to `False`."""
        reactions: list[dict[str, Any]] = self.document["reactions"]
        return reactions

    def save(self, path: PathLike) -> None:
        """Write the plan to a file."""
        try:
            Path(path).write_text(json.dumps(self.document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise errors.FileUnavailable(f"{os.fspath(path)}: {error.strerror}; name another file") from error

    @classmethod
    def load(cls, path: PathLike) -> Plan:
        """Read a plan from a file."""
        try:
            return cls._parsed(Path(path).read_bytes(), os.fspath(path))
        except OSError as error:
            raise errors.FileUnavailable(f"{os.fspath(path)}: {error.strerror}; name the file of a plan") from error

    @classmethod
    def _parsed(cls, text: bytes, name: str) -> Plan:
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict) or not isinstance(document.get("reactions"), list):
            raise errors.FileUnusable(f"{name}: this is no plan; make one with flourish.plan")
        return cls(document)


def filter(input: PathLike, output: PathLike, *, plan: Plan | PathLike | None = None, **options: Option) -> Result:
    """Recognise gestures in a recording, draw the reactions, and write the recording again.

    Ctrl-C keeps the part that was written so far, and raises `KeyboardInterrupt`.

    - `input`, `output`: the files. An existing output is kept unless `overwrite=True`.
    - `plan`: render this plan instead of recognising gestures.
    - `options`: options of `flourish filter`.
    """
    folder = None
    try:
        if isinstance(plan, Plan):
            folder = tempfile.TemporaryDirectory(prefix="flourish-")
            path = os.path.join(folder.name, "plan.json")
            plan.save(path)
            options["plan"] = path
        elif plan is not None:
            options["plan"] = plan
        with _Run("filter", [input, output], {**options, "progress": "json"}, subprocess.DEVNULL) as run:
            run.wait()
    finally:
        if folder is not None:
            folder.cleanup()
    last: dict[str, Any] = next((line for line in reversed(run.progress) if line.get("done")), {})
    known = {field_name(name): value for name, value in last.items()}
    return Result(
        output=known.get("output", os.fspath(output)),
        frames=known.get("frames", 0),
        seconds=known.get("seconds", 0.0),
        interrupted=known.get("interrupted", False),
        reactions=known.get("reactions", []),
        bytes=known.get("bytes"),
        frames_encoded=known.get("frames_encoded"),
        warnings=run.warnings,
    )


def detect(input: PathLike, **options: Option) -> Iterator[Event]:
    """Iterate over the events of a recording, each as soon as it is known. Nothing is drawn or written.

    - `input`: the file.
    - `options`: options of `flourish detect`.
    """
    with _Run("detect", [input], {**options, "progress": "none"}, subprocess.PIPE) as run:
        for line in run.output:
            yield parse_event(line)
        run.wait()


def plan(input: PathLike, **options: Option) -> Plan:
    """Recognise gestures in a recording, and return the plan of its reactions.

    - `input`: the file.
    - `options`: options of `flourish plan`.
    """
    with _Run("plan", [input], {**options, "output": "-", "progress": "none"}, subprocess.PIPE) as run:
        text = run.output.read()
        run.wait()
    return Plan._parsed(text, os.fspath(input))


def program_path() -> str:
    """Return the path of the program: `FLOURISH_PROGRAM`, that of the wheel, or an installed one."""
    inside = NATIVE / "bin" / "flourish"
    found = os.environ.get("FLOURISH_PROGRAM") or (str(inside) if inside.exists() else shutil.which("flourish"))
    if not found:
        raise errors.Unavailable(
            "the program flourish is not installed; install the wheel, or name it in FLOURISH_PROGRAM"
        )
    return found


def main() -> NoReturn:
    """Become the program `flourish`; the command of the wheel."""
    try:
        path = program_path()
        os.execv(path, ["flourish", *sys.argv[1:]])
    except (errors.Unavailable, OSError) as error:
        sys.exit(f"flourish: {error}")


def _words(options: dict[str, Option]) -> list[str]:
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        # An option and its value are one word, so that a value may begin with a dash.
        values = value if isinstance(value, (list, tuple)) else [value]
        words += [f"{option}={os.fspath(each) if isinstance(each, os.PathLike) else each}" for each in values]
    return words


class _Run:
    """A run of the program, which ends with the `with` statement."""

    def __init__(self, command: str, files: list[PathLike], options: dict[str, Option], output: int) -> None:
        names = [os.fspath(name) for name in files]
        for name in names:
            if name.startswith("-"):
                raise errors.InvalidArgument(f"{name!r} is no file here; put ./ before a name that begins with a dash")
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115
        # Ctrl-C in the terminal reaches Python alone, which ends the program gracefully: a second signal would kill it.
        try:
            self._process = subprocess.Popen(
                [program_path(), command, *names, *_words(options)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=self._messages,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._messages.close()
            raise errors.Unavailable(f"the program flourish cannot be started: {error}") from error
        self.progress: list[dict[str, Any]] = []
        self.warnings: list[str] = []

    @property
    def output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def wait(self) -> None:
        """Wait for the end. Raises the error of a failed run."""
        code = self._process.wait()
        message = f"the program ended with the code {code}"
        self._messages.seek(0)
        for line in self._messages.read().decode(errors="replace").splitlines():
            if line.startswith("{"):
                # A killed program may leave half a line.
                try:
                    self.progress.append(json.loads(line))
                except ValueError:
                    continue
            elif line.startswith("flourish: warning: "):
                self.warnings.append(line[len("flourish: warning: ") :])
            elif line.startswith("flourish: "):
                message = line[len("flourish: ") :]
        if code:
            raise _ERRORS.get(code, errors.Error)(message)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *error: object) -> None:
        # After Ctrl-C, or when the reader of the events has stopped.
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            if self._process.stdout is not None:
                self._process.stdout.close()
            try:
                self._process.wait()
            except KeyboardInterrupt:
                self._process.kill()
                self._process.wait()
                raise
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._messages.close()
