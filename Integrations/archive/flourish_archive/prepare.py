"""The start of a workflow, in its main process alone: inventory, settings, and outputs that were deleted."""

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from flourish_archive import records, settings
from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import ENDINGS, Call, Inventory, files_below, record_names


@dataclass
class Prepared:
    """The calls of a workflow that starts."""

    calls: list[Call]
    digests: dict[str, str] = field(default_factory=dict)
    """The hashes of the settings of all steps."""
    pending: dict[Path, Path] = field(default_factory=dict)
    """In a dry run: the records that a real one would write or remove, with newer files that stand for them."""
    deleted: set[str] = field(default_factory=set)
    """The ids of the calls whose videos are gone."""
    folder: tempfile.TemporaryDirectory[str] | None = None
    """The place of the files of a dry run; they are removed with it."""

    def or_pending(self, record: Path) -> Path:
        """Return the file that an engine should compare with a record's outputs."""
        return self.pending.get(record, record)


def prepare(
    archive: Archive,
    endings: tuple[str, ...] = ENDINGS,
    refresh: bool = False,
    confirmed: bool = False,
    dry: bool = False,
) -> Prepared:
    """Update inventory and settings, and remove the results of videos that are gone; a dry run writes nothing there."""
    inventory = Inventory(archive.work)
    made = Prepared([])
    if dry:
        made.folder = tempfile.TemporaryDirectory(prefix="flourish-dry-run.")

    def write(record: Path, value: object) -> None:
        if made.folder is None:
            write_json(record, value)
        else:
            made.pending[record] = Path(made.folder.name) / record.relative_to(archive.work)
            write_json(made.pending[record], value)

    if refresh or not inventory.exists():
        change = inventory.scan(archive.source, endings, confirmed)
        made.calls = change.calls
        if dry:
            for call in change.changed:
                write(inventory.source(call.id), call.record())
        else:
            inventory.write(change)
    else:
        made.calls = list(inventory.calls())
    for step in settings.STEPS:
        record, values = archive.settings_record(step), settings.settings(archive, step)
        made.digests[step] = settings.digest(values)
        try:
            is_known = read_json(record) == values
        except (OSError, ValueError):
            is_known = False
        if not is_known:
            write(record, values)
    made.deleted = set(_deleted(archive, made.calls))
    for call in made.calls:
        if call.id in made.deleted:
            if dry:
                write(archive.record("deleted", call), {})
            else:
                # Engines do not make a missing result anew while what follows from it is there.
                for kind in ("checked", "results"):
                    archive.record(kind, call).unlink(missing_ok=True)
    return made


def unfinished(archive: Archive, made: Prepared, gate: bool = False) -> list[Call]:
    """Return the calls that need work, in the order of paths; those that failed before come last.

    An engine that knows only these starts fast, however many calls are done.
    """
    failed = record_names(archive.work / "failed")
    calls = [call for call in made.calls if call.id in made.deleted or not _is_finished(archive, call, made, gate)]
    return sorted(calls, key=lambda call: f"{call.id}.json" in failed)


def _is_finished(archive: Archive, call: Call, made: Prepared, gate: bool) -> bool:
    if gate and records.waits_for_review(archive, call, made.digests):
        return True
    return records.finished_record(archive, call, made.digests, gate) is not None


def _deleted(archive: Archive, calls: list[Call]) -> list[str]:
    """Return the ids of calls with a video, by their records, that is no longer in the target's folder."""
    results = record_names(archive.work / "results")
    known = [call for call in calls if f"{call.id}.json" in results]
    if not known:
        return []
    present = set(files_below(archive.target)) if os.path.exists(archive.target) else set()
    return [call.id for call in known if call.path not in present and _is_done(archive.record("results", call))]


def _is_done(record: Path) -> bool:
    try:
        return bool(read_json(record)["state"] == "done")
    except (OSError, ValueError, KeyError):
        return True
