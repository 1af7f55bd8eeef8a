"""All jobs of one call, with the result as a row of a table."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from os.path import lexists
from typing import Any

from flourish_archive import jobs, records, settings
from flourish_archive.archive import Archive
from flourish_archive.files import read_json
from flourish_archive.inventory import Call
from flourish_archive.program import REFUSED, TEMPORARY, OtherProgram, Refused, Retry


@dataclass(frozen=True)
class Retries:
    """The attempts at a job that fails temporarily."""

    tries: int = 3
    pause: float = 1.0
    """Seconds before the second attempt; each further one waits twice as long."""

    def pauses(self) -> Iterator[float]:
        """Return the seconds before each further attempt."""
        for number in range(self.tries - 1):
            yield self.pause * 2**number


def find(archive: Archive, call: Call, digests: dict[str, str]) -> dict[str, Any] | None:
    """Return the existing row of an unchanged call that was processed with settings that have these hashes."""
    checked = records.current_record(archive, "checked", call, digests)
    if checked is None or (checked["state"] != "broken" and not lexists(archive.video(call))):
        return None
    return row(checked)


def process(archive: Archive, call: Call, retries: Retries) -> dict[str, Any]:
    """Plan, render and check `call`, except for what is done already, and return its row.

    The row contains every outcome: `state` is `done`, `done with warnings`, `broken`, `failed` (retry it) or `refused`
    (as it is, it cannot be done). Raises OtherProgram if this machine cannot do any call of the archive.
    """
    digests = settings.recorded_digests(archive)
    if (found := find(archive, call, digests)) is not None:
        return found
    plan, result, checked = (archive.record(kind, call) for kind in ("plans", "results", "checked"))
    steps: list[tuple[str, Callable[[], None]]] = []
    if not records.is_planned(archive, call, digests["plan"]):
        steps.append(("plan", lambda: jobs.plan(archive, call, plan)))
    if steps or not _is_rendered(archive, call, digests):
        steps.append(("render", lambda: jobs.render(archive, call, plan, result)))
    steps.append(("check", lambda: jobs.check(archive, call, result, checked)))
    pauses = retries.pauses()
    for step, work in steps:
        while True:
            try:
                work()
                break
            except OtherProgram:
                raise
            except Refused as error:
                return _failure(archive, call, step, "refused", REFUSED, error)
            except (Retry, OSError) as error:
                pause = next(pauses, None)
                if pause is None:
                    return _failure(archive, call, step, "failed", TEMPORARY, error)
                time.sleep(pause)
    records.forget_failure(archive, call)
    return row(read_json(checked))


def _failure(archive: Archive, call: Call, step: str, state: str, code: int, error: Exception) -> dict[str, Any]:
    with suppress(OSError):
        records.record_failure(archive, call, step, code, str(error))
    return failure(call, state, error)


def _is_rendered(archive: Archive, call: Call, digests: dict[str, str]) -> bool:
    result = records.current_record(archive, "results", call, {step: digests[step] for step in ("plan", "render")})
    return result is not None and (result["state"] == "broken" or lexists(archive.video(call)))


def row(checked: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a checked record."""
    reactions = checked.get("reactions", [])
    return {
        "id": checked["id"],
        "path": checked["path"],
        "state": checked["state"],
        "fingerprint": checked.get("fingerprint"),
        "seconds": checked.get("seconds"),
        "bytes": checked.get("bytes"),
        "sha256": checked.get("sha256"),
        "reactions": [reaction["reactionType"] for reaction in reactions],
        "times": [reaction["time"] for reaction in reactions],
        "code": checked.get("code"),
        "message": checked.get("message"),
        "warnings": checked.get("warnings", []),
    }


def failure(call: Call, state: str, error: Exception) -> dict[str, Any]:
    """Return the row of a failed call."""
    record = call.record()
    return row({"id": record["id"], "path": record["path"], "state": state, "message": str(error)})
