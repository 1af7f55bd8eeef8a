"""The calls of an archive.

A file's name may be any bytes. Engines see only a call's id, which is made of hexadecimal digits and follows from the
path alone; records write paths percent-encoded.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from flourish_archive.files import read_json, write_json

ENDINGS = ("mp4", "m4v", "mov", "mkv", "webm", "avi", "ts", "flv")


@dataclass(frozen=True)
class Call:
    """A recorded call, in its state at the time of the inventory."""

    id: str
    """Two digits, a slash and sixteen more: the slash distributes records over folders."""
    path: bytes
    """The path below the archive's folder."""
    size: int
    """The size in bytes."""
    changed: int
    """The time of the last change, in nanoseconds since 1970 by the clock of the machine that keeps the archive."""

    @classmethod
    def at(cls, root: bytes, path: bytes) -> "Call":
        """Examine the file `path` below `root`; raises OSError."""
        status = os.stat(os.path.join(root, path))
        digest = hashlib.sha256(path).hexdigest()
        return cls(f"{digest[:2]}/{digest[2:18]}", path, status.st_size, status.st_mtime_ns)

    def record(self) -> dict[str, str | int]:
        """Return its representation in JSON."""
        return {"id": self.id, "path": quote_from_bytes(self.path), "size": self.size, "changed": self.changed}

    @classmethod
    def from_record(cls, record: dict[str, str | int]) -> "Call":
        """Read the result of `record`."""
        return cls(
            str(record["id"]), unquote_to_bytes(str(record["path"])), int(record["size"]), int(record["changed"])
        )


@dataclass(frozen=True)
class Inventory:
    """The folder in which an archive's records are kept."""

    folder: Path

    def source(self, identity: str) -> Path:
        """Return the record of one call; it is rewritten only if the file has changed."""
        return self.folder / "sources" / f"{identity}.json"

    def take(self, root: bytes, endings: tuple[str, ...] = ENDINGS) -> list[Call]:
        """Walk through the archive, in the order of paths, and record its calls.

        Files without bytes are recorded like others: the program reports their error.
        """
        wanted = tuple(f".{ending}".lower().encode() for ending in endings)
        calls = [Call.at(root, path) for path in sorted(_walk(root)) if path.lower().endswith(wanted)]
        for call in calls:
            path = self.source(call.id)
            if not path.exists() or read_json(path) != call.record():
                write_json(path, call.record())
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(call.record(), sort_keys=True) + "\n" for call in calls)
        new = self.folder / f".calls.{os.getpid()}"
        new.write_text(lines, encoding="ascii")
        os.replace(new, self.folder / "calls.jsonl")
        return calls

    def calls(self) -> list[Call]:
        """Return the latest inventory."""
        lines = (self.folder / "calls.jsonl").read_text(encoding="ascii").splitlines()
        return [Call.from_record(json.loads(line)) for line in lines]

    def call(self, identity: str) -> Call:
        """Return one call."""
        return Call.from_record(read_json(self.source(identity)))


def _walk(root: bytes, below: bytes = b"") -> Iterator[bytes]:
    with os.scandir(os.path.join(root, below)) as entries:
        for entry in entries:
            path = os.path.join(below, entry.name)
            if entry.name.startswith(b"."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(root, path)
            elif entry.is_file():
                yield path
