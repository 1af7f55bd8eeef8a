"""The records of a call: which are of the present file and settings, and why its last attempt failed."""

import os
from typing import Any

from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Call


def _is_current(call: Call, record: dict[str, Any], digests: dict[str, str], but: tuple[str, ...] = ()) -> bool:
    """Return whether a record is of this file, made with these settings of its steps; `but` names ignored steps."""
    if (record.get("size"), record.get("changed")) != (call.size, call.changed):
        return False
    made_with = record.get("settings")
    if not isinstance(made_with, dict):
        return False
    return all(made_with.get(step) == value for step, value in digests.items() if step not in but)


def current_record(
    archive: Archive, kind: str, call: Call, digests: dict[str, str], but: tuple[str, ...] = ()
) -> dict[str, Any] | None:
    """Return a record of this file and these settings, or `None` if there is none; `but` names ignored steps."""
    try:
        record: dict[str, Any] = read_json(archive.record(kind, call))
    except (OSError, ValueError):
        return None
    return record if _is_current(call, record, digests, but) else None


def is_planned(archive: Archive, call: Call, digest: str) -> bool:
    """Return whether there is a plan of this file, made with these settings."""
    try:
        about = read_json(archive.record("plans", call))["archive"]
        return bool((about["size"], about["changed"], about["settings"]) == (call.size, call.changed, digest))
    except (OSError, ValueError, KeyError):
        return False


def finished_record(archive: Archive, call: Call, digests: dict[str, str], gate: bool = False) -> dict[str, Any] | None:
    """Return the checked record of a call that needs no work, or `None`.

    Under the gate a plan is what a person reviewed, whatever it was made with.
    """
    if gate:
        try:
            rendered = archive.record("results", call).stat().st_mtime_ns
            if rendered < archive.reviewed(call).stat().st_mtime_ns:
                return None
        except FileNotFoundError:
            return None
    return current_record(archive, "checked", call, digests, but=("plan",) if gate else ())


def waits_for_review(archive: Archive, call: Call, digests: dict[str, str]) -> bool:
    """Return whether a call has a plan of this file and these settings that no person has reviewed."""
    return not archive.reviewed(call).exists() and is_planned(archive, call, digests["plan"])


def record_failure(archive: Archive, call: Call, step: str, code: int, message: str) -> None:
    """Record why a step failed, for the report; `forget_failure` removes it."""
    failure = {"step": step, "code": code, "message": message, "node": os.uname().nodename}
    write_json(archive.record("failed", call), {**call.record(), **failure})


def recorded_failure(archive: Archive, call: Call) -> dict[str, Any] | None:
    """Return the record of the latest failure, if the call has not succeeded since."""
    try:
        failure: dict[str, Any] = read_json(archive.record("failed", call))
    except (OSError, ValueError):
        return None
    return failure


def forget_failure(archive: Archive, call: Call) -> None:
    """Remove the record of a failure."""
    archive.record("failed", call).unlink(missing_ok=True)
