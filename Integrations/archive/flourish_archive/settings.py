"""Everything but the calls that determines the results of a step: program, options, and the files that these name.

The process that starts a workflow records the settings of each step in `settings/STEP.json`; a record is rewritten
only if its settings changed, so that an engine repeats exactly what they affect. Workers compare their own with them.
"""

import hashlib
import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flourish_archive.files import read_json
from flourish_archive.program import OtherProgram

if TYPE_CHECKING:
    from flourish_archive.archive import Archive

STEPS = ("plan", "render", "check")

# The options whose value may be a file or a folder.
_FILE_OPTIONS = {"--config", "--effects", "--gestures", "--layout", "--palette"}


def settings(archive: "Archive", step: str) -> dict[str, Any]:
    """Return the settings of a step on this machine."""
    if step == "check":
        return {"decode": archive.decode, **({"ffmpeg": _ffmpeg()} if archive.decode else {})}
    options = archive.plan_options if step == "plan" else archive.render_options
    named = [Path(value).expanduser() for value in _named_files(options)]
    files = {str(path): tree_digest(path) for path in named if path.exists()}
    unnamed = _unnamed_files()
    if step == "render":
        # A plan has the gestures that were found.
        del unnamed["custom gestures"]
    return {
        "program": archive.program.identity(),
        "options": list(options),
        "files": files | {name: tree_digest(path) for name, path in unnamed.items() if path.exists()},
    }


def digest(values: dict[str, Any]) -> str:
    """Return a hash that identifies the settings of a step."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def verified(archive: "Archive", step: str) -> dict[str, Any]:
    """Return the recorded settings of a step; refuse if those of this machine differ, such as the program."""
    recorded: dict[str, Any] = read_json(archive.settings_record(step))
    here = settings(archive, step)
    differing = list(_differences(recorded, here))
    if differing:
        raise OtherProgram(f"the program here is another one: {'; '.join(differing)}")
    return recorded


def recorded_digests(archive: "Archive") -> dict[str, str]:
    """Return the hashes of the recorded settings of all steps."""
    return {step: digest(read_json(archive.settings_record(step))) for step in STEPS}


def _differences(recorded: Any, here: Any, name: str = "") -> "list[str]":
    if isinstance(recorded, dict) and isinstance(here, dict):
        return [
            line
            for key in sorted(recorded.keys() | here.keys())
            for line in _differences(recorded.get(key), here.get(key), f"{name} {key}".removeprefix(" program").strip())
        ]
    return [] if recorded == here else [f"{name} is {here}, and the archive's is {recorded}"]


def _ffmpeg() -> str:
    try:
        said = subprocess.run(["ffmpeg", "-version"], capture_output=True, check=True).stdout.decode(errors="replace")
    except (OSError, subprocess.CalledProcessError) as error:
        raise OtherProgram(f"ffmpeg does not run here, and `decode` needs it: {error}") from error
    return said.splitlines()[0].removeprefix("ffmpeg version ").split(" ")[0]


def are_blamed(message: str, options: tuple[str, ...]) -> bool:
    """Return whether an error of the program is about a file of the settings, and not about a call."""
    files = [*_named_files(options), *map(str, _unnamed_files().values())]
    return any(message.startswith((f"flourish: {file}:", f"flourish: {file}/")) for file in files)


def _named_files(options: tuple[str, ...]) -> list[str]:
    """Return the files and folders that options name, as in `--config FILE` and `--config=FILE`."""
    words = [part for word in options for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return [value for option, value in pairwise(words) if option in _FILE_OPTIONS]


def _unnamed_files() -> dict[str, Path]:
    """Return the places of files that the program reads unasked: custom effects, gestures, the system's settings."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "flourish"
    places = {"custom effects": home / "effects", "custom gestures": home / "gestures.json"}
    for number, folder in enumerate((os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")):
        places[f"system configuration {number + 1}"] = Path(folder, "flourish/config.toml")
    return places


def tree_digest(path: Path) -> str:
    """Return a hash of a file's contents, or of the names and contents of all files below a folder."""
    hashed = hashlib.sha256()
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        content = file.read_bytes() if file.is_file() else b""
        name = os.fsencode(file.relative_to(path)) if path.is_dir() else b""
        hashed.update(b"%d %d %b%b" % (len(name), len(content), name, content))
    return hashed.hexdigest()[:16]
