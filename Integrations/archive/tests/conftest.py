"""A fake program, with an archive of calls of any names; and the real one, if the environment names it."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from flourish_archive.archive import Archive
from flourish_archive.inventory import Call, Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import Program
from flourish_archive.rows import Retries, process

FAKE = r"""#!/usr/bin/env python3
import json, os, sys, time
words = sys.argv[1:]
if words == ["--version", "--json"]:
    print(json.dumps({"version": os.environ.get("FAKE_VERSION", "1")}))
    sys.exit()
source = words[1]
content = open(source, "rb").read()
home = os.environ.get("XDG_CONFIG_HOME", "") + "/flourish/"
for file in [word for word in words if word.endswith(".toml")] + [home + "gestures.json", home + "effects/sparks.json"]:
    if os.path.exists(file) and open(file).read() == "damaged":
        print(f"flourish: {file}:1: is not valid", file=sys.stderr)
        sys.exit(65)
if os.environ.get("FAKE_CHANGE"):
    open(source, "ab").write(b"more")
if content == b"broken":
    print(f"flourish: {source}: is no video", file=sys.stderr)
    sys.exit(65)
if content.startswith(b"damaged"):
    print(f"flourish: warning: {source}: is truncated", file=sys.stderr)
if seen := os.environ.get("FAKE_CORES"):
    with open(seen, "a") as file:
        file.write(words[0] + " " + os.environ.get("FLOURISH_CORES", "all") + "\n")
if content == b"full":
    print("flourish: disk full", file=sys.stderr)
    sys.exit(74)
if hold := os.environ.get("FAKE_HOLD"):
    # The first of all processes that reach this prints its parent's id, and waits to be killed.
    try:
        with open(hold, "x") as file:
            file.write(str(os.getppid()))
        time.sleep(60)
    except FileExistsError:
        pass
def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)
if words[0] == "plan":
    reactions = [{"reactionType": "confetti", "startTime": 1.5}, {"reactionType": "rain", "enabled": False}]
    source = {"path": source, "fingerprint": "f", "duration": 3600}
    plan = {"source": source, "reactions": reactions}
    write(words[words.index("--output") + 1], json.dumps(plan))
else:
    try:
        open(words[2], "wb").write(content + b" reacted" + b"." * int(os.environ.get("FAKE_SIZE", "0")))
    except OSError as error:
        print(f"flourish: {error}", file=sys.stderr)
        sys.exit(74)
"""

NAMES = [b"a.mp4", b"deep/er/b.MKV", b"caf\xe9.mp4", b"new\nline.mp4", b"-dash.mp4", b"quo'te\".webm"]

KINDS = ("plans", "results", "checked")

INTEGRATIONS = Path(__file__).parents[2]


def fill(source: bytes, names: list[bytes]) -> None:
    for name in names:
        path = os.path.join(source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"call " + name)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    program = tmp_path / "fake"
    program.write_text(FAKE.replace("/usr/bin/env python3", sys.executable))
    program.chmod(0o755)
    source = os.fsencode(tmp_path / "calls")
    fill(source, NAMES)
    target = os.fsencode(tmp_path / "reacted")
    os.mkdir(target)
    made = Archive(source, target, tmp_path / "records", Program(str(program)))
    prepare(made)
    return made


def alone(archive: Archive, folder: Path) -> Archive:
    """Process the same calls without an engine, in sequence."""
    other = replace(archive, target=os.fsencode(folder / "reacted"), work=folder / "records")
    os.makedirs(other.target)
    for call in prepare(other).calls:
        process(other, call, Retries(tries=1))
    return other


def is_like(archive: Archive, other: Archive) -> bool:
    same = [records(archive.work, kind) == records(other.work, kind) for kind in KINDS]
    return all(same) and everything(archive.target) == everything(other.target)


def call_named(archive: Archive, name: bytes) -> Call:
    """Return a call in its present state, and record that."""
    prepare(archive, refresh=True, confirmed=True)
    return next(call for call in Inventory(archive.work).calls() if call.path == name)


def written(archive: Archive) -> dict[str, int]:
    """Return the times of all records of calls."""
    return {
        str(path.relative_to(archive.work)): path.stat().st_mtime_ns
        for kind in KINDS
        for path in (archive.work / kind).rglob("*.json")
    }


def redone(archive: Archive, before: dict[str, int]) -> dict[str, int]:
    """Return how many records of each kind were written since `written`."""
    changed = [name for name, time in written(archive).items() if before.get(name) != time]
    return {kind: count for kind in KINDS if (count := sum(name.startswith(kind) for name in changed))}


def everything(folder: bytes) -> dict[bytes, bytes]:
    """Return the files below a folder with their contents."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def records(folder: Path, kind: str) -> dict[str, object]:
    """Return the records of a kind, by the names of their files."""
    return {
        str(path.relative_to(folder / kind)): json.loads(path.read_text()) for path in (folder / kind).rglob("*.json")
    }
