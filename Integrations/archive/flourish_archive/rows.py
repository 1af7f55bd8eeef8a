"""All jobs of one call, with the result as a row of a table."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flourish_archive import jobs
from flourish_archive.files import read_json
from flourish_archive.inventory import Call
from flourish_archive.program import Refused, Retry


@dataclass(frozen=True)
class Walk:
    """The parameters for processing calls."""

    archive: jobs.Archive
    decode: bool = False
    """True to verify each video by decoding it with FFmpeg."""
    tries: int = 3
    """The number of attempts of a job that fails temporarily."""
    pause: float = 1.0
    """Seconds before the second attempt; each further one waits twice as long."""

    def record(self, kind: str, call: Call) -> Path:
        """Return the path of the record of a call, as in the workflow for Snakemake."""
        return self.archive.work / kind / f"{call.id}.json"


def find(walk: Walk, call: Call) -> dict[str, Any] | None:
    """Return the existing row of an unchanged call that was processed with the same program and options."""
    try:
        checked: dict[str, Any] = read_json(walk.record("checked", call))
    except (OSError, ValueError):
        return None
    known = checked["size"] == call.size and checked["changed"] == call.changed
    if not known or checked.get("settings") != walk.archive.settings():
        return None
    if checked["state"] == "done" and not os.path.exists(os.path.join(walk.archive.target, call.path)):
        return None
    return row(checked)


def go_through(walk: Walk, call: Call) -> dict[str, Any]:
    """Plan, render and check `call`, unless that is done, and return its row.

    The row contains every outcome: `state` is `done`, `broken`, `failed` (retry it) or `refused` (not with the
    program of this machine).
    """
    if (found := find(walk, call)) is not None:
        return found
    archive = walk.archive
    plan, result, checked = (walk.record(kind, call) for kind in ("plans", "results", "checked"))
    pauses = _pauses(walk)
    while True:
        try:
            if not _is_planned(walk, call, plan):
                jobs.plan(archive, call, plan)
            jobs.render(archive, call, plan, result)
            jobs.check(archive, call, result, checked, walk.decode)
            return row(read_json(checked))
        except Refused as error:
            return failure(call, "refused", error)
        except (Retry, OSError) as error:
            pause = next(pauses, None)
            if pause is None:
                return failure(call, "failed", error)
            time.sleep(pause)


def _is_planned(walk: Walk, call: Call, plan: Path) -> bool:
    """Return whether `plan` is that of this file, by the archive's program and options."""
    try:
        planned = read_json(plan)
        wanted = {**call.record(), "program": read_json(walk.archive.identity())}
        wanted["options"] = list(walk.archive.plan_options)
        return bool(planned["archive"] == wanted)
    except (OSError, ValueError, KeyError):
        return False


def _pauses(walk: Walk) -> Iterator[float]:
    for number in range(walk.tries - 1):
        yield walk.pause * 2**number


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
    }


def failure(call: Call, state: str, error: Exception) -> dict[str, Any]:
    """Return the row of a failed call."""
    record = call.record()
    return row({"id": record["id"], "path": record["path"], "state": state, "message": str(error)})
