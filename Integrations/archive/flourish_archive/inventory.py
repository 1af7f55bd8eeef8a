"""The calls of an archive.

A file's name may be any bytes. Engines see only a call's id, which is made of hexadecimal digits and follows from the
path alone; records write paths percent-encoded.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from flourish_archive.files import read_json, replacing, write_json
from flourish_archive.program import Refused

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
class Change:
    """The difference between an archive and its inventory."""

    calls: list[Call]
    """All calls, in the order of paths."""
    changed: list[Call]
    """The new calls, and those whose file changed."""
    removed: list[Call]
    """The calls of this and earlier inventories that are gone."""


@dataclass(frozen=True)
class Inventory:
    """The list of an archive's calls, among its records. Only the process that starts a workflow writes it."""

    folder: Path

    def source(self, identity: str) -> Path:
        """Return the record of one call; it is rewritten only if the file has changed."""
        return self.folder / "sources" / f"{identity}.json"

    def exists(self) -> bool:
        """Return whether an inventory was taken."""
        return (self.folder / "calls.jsonl").exists()

    def scan(self, root: bytes, endings: tuple[str, ...] = ENDINGS, confirmed: bool = False) -> Change:
        """Compare the archive with the inventory; nothing is written.

        A share that is not mounted looks like an empty folder: an inventory that falls to nothing or by more than half
        is refused unless `confirmed`. Files without bytes are recorded like others: the program reports their error.
        """
        wanted = tuple(f".{ending}".lower().encode() for ending in endings)
        try:
            paths = sorted(path for path in files_below(root) if path.lower().endswith(wanted))
            calls = [Call.at(root, path) for path in paths]
        except OSError as error:
            raise Refused(f"the source's folder cannot be read: {error}") from error
        before = {call.id: call for call in self.calls()} if self.exists() else {}
        if not confirmed and (not calls or 2 * len(calls) < len(before)):
            fall = (
                f"the inventory would fall from {len(before)} calls to {len(calls)}" if before else "there is no call"
            )
            raise Refused(f"{fall} in {os.fsdecode(root)}: is it mounted? If it is right, confirm it (confirm_removal)")
        recorded = record_names(self.folder / "sources")
        changed = [call for call in calls if before.get(call.id) != call or f"{call.id}.json" not in recorded]
        present = {call.id for call in calls}
        removed = {call.id: call for call in [*self.removed(), *before.values()] if call.id not in present}
        return Change(calls, changed, sorted(removed.values(), key=lambda call: call.path))

    def write(self, change: Change) -> None:
        """Record the calls; the list is written last, so that an interrupted start is repeated."""
        for call in change.changed:
            write_json(self.source(call.id), call.record(), durable=False)
        # At once, since flushing each of a hundred thousand files takes minutes.
        os.sync()
        self._write_list("removed.jsonl", change.removed)
        self._write_list("calls.jsonl", change.calls)

    def calls(self) -> Iterator[Call]:
        """Return the calls of the latest inventory, one by one."""
        return self._read_list("calls.jsonl")

    def removed(self) -> Iterator[Call]:
        """Return the calls of earlier inventories that are gone."""
        return self._read_list("removed.jsonl") if (self.folder / "removed.jsonl").exists() else iter(())

    def call(self, identity: str) -> Call:
        """Return one call."""
        return Call.from_record(read_json(self.source(identity)))

    def _read_list(self, name: str) -> Iterator[Call]:
        with (self.folder / name).open(encoding="ascii") as file:
            for line in file:
                yield Call.from_record(json.loads(line))

    def _write_list(self, name: str, calls: list[Call]) -> None:
        with replacing(self.folder / name) as file:
            for call in calls:
                file.write(json.dumps(call.record(), sort_keys=True) + "\n")


def record_names(folder: Path) -> set[str]:
    """Return the names of the records in `folder`, such as `4f/0d1c….json`."""
    found: set[str] = set()
    with suppress(FileNotFoundError), os.scandir(folder) as groups:
        for group in groups:
            if group.is_dir():
                found.update(f"{group.name}/{name}" for name in os.listdir(group.path))
    return found


def files_below(root: bytes, below: bytes = b"") -> Iterator[bytes]:
    """Return the paths of the files below `root`, without hidden ones; raises OSError."""
    with os.scandir(os.path.join(root, below)) as entries:
        for entry in entries:
            path = os.path.join(below, entry.name)
            if entry.name.startswith(b"."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from files_below(root, path)
            elif entry.is_file():
                yield path
