"""The report: what came of every call of the inventory, in memory that does not grow with their number."""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flourish_archive import records, settings
from flourish_archive.archive import Archive
from flourish_archive.files import replacing
from flourish_archive.inventory import Call, Inventory
from flourish_archive.scratch import sweep

OUTCOMES = ("done", "done with warnings", "broken", "failed", "unfinished", "unreviewed")
"""The states of a call in the report; `unfinished` has no result, and `unreviewed` waits for a person."""

TOLERABLE = ("warnings", "broken", "stale")
"""The outcomes that an administrator may accept."""

UNFINISHED = "unfinished"
"""The outcome that a start of a part of the calls accepts, too."""


def outcome(archive: Archive, call: Call, digests: dict[str, str], gate: bool = False) -> dict[str, Any]:
    """Return the checked record of a call, or one whose `state` says why there is none for this file and settings."""
    if checked := records.finished_record(archive, call, digests, gate):
        return checked
    if failure := records.recorded_failure(archive, call):
        return {"state": "failed", "message": f"{failure['step']}: {failure['message']}", "node": failure["node"]}
    if gate and records.waits_for_review(archive, call, digests):
        return {"state": "unreviewed", "message": "its plan waits for review"}
    return {"state": "unfinished", "message": "it has no result yet"}


def write(archive: Archive, record: Path, gate: bool = False) -> dict[str, Any]:
    """Write the report of the whole inventory to `record`, and return its counts.

    It follows from the records alone, so that it is right at any time, whatever was run before. Scratch folders of
    this workflow whose processes have ended are removed.
    """
    for place in (archive.plan_scratch(), archive.video_scratch()):
        sweep(place)
    record.parent.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    reactions: Counter[str] = Counter()
    seconds = size = 0
    # Problems come after the counts in the file, and are kept on the disk until these are known.
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=record.parent) as problems:
        for call, found in _outcomes(archive, gate):
            counts[found["state"]] += 1
            if found["state"].startswith("done"):
                reactions.update(reaction["reactionType"] for reaction in found["reactions"])
                seconds += found["seconds"]
                size += found["bytes"]
            problem = {key: found[key] for key in ("code", "message", "node", "warnings") if found.get(key)}
            if found["state"] in ("broken", "removed") and _is_left(archive, call):
                counts["stale"] += 1
                problem["stale"] = True
            if found["state"] != "done":
                problem = {"path": call.record()["path"], "state": found["state"], **problem}
                problems.write(json.dumps(problem, ensure_ascii=False) + "\n")
        summary: dict[str, Any] = {
            "calls": sum(counts[state] for state in OUTCOMES),
            **{_field(state): counts[state] for state in (*OUTCOMES, "stale", "removed")},
            "hours": round(seconds / 3600, 3),
            "bytes": size,
            "reactions": dict(sorted(reactions.items())),
        }
        summary["state"] = _state(summary)
        problems.seek(0)
        with replacing(record) as file:
            file.write(json.dumps(summary, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "problems": [')
            for number, text in enumerate(problems):
                file.write(("," if number else "") + "\n    " + text.rstrip("\n"))
            file.write("\n  ]\n}\n")
    return summary


def exit_code(summary: dict[str, Any], accepted: tuple[str, ...] = ()) -> int:
    """Return 1 if calls failed or are unfinished, 65 if there is damage that is not accepted, and 0 otherwise."""
    if summary["failed"] or (summary["unfinished"] and UNFINISHED not in accepted):
        return 1
    fields = {"warnings": "doneWithWarnings", "broken": "broken", "stale": "stale"}
    return 65 if any(summary[field] for name, field in fields.items() if name not in accepted) else 0


def line(summary: dict[str, Any]) -> str:
    """Return the report in one line."""
    counts = [
        f"{summary[_field(state)]} {state}" for state in (*OUTCOMES[1:], "stale", "removed") if summary[_field(state)]
    ]
    good = summary["done"] + summary["doneWithWarnings"]
    return "; ".join([f"{summary['state']}: {good} of {summary['calls']} calls done", *counts])


def _outcomes(archive: Archive, gate: bool) -> Iterator[tuple[Call, dict[str, Any]]]:
    inventory = Inventory(archive.work)
    digests = settings.recorded_digests(archive)
    for call in inventory.calls():
        yield call, outcome(archive, call, digests, gate)
    for call in inventory.removed():
        yield call, {"state": "removed", "message": "the recording is gone"}


def _is_left(archive: Archive, call: Call) -> bool:
    """Return whether a video of this workflow is in the target, although its recording is broken or gone."""
    return archive.record("videos", call).exists() and os.path.lexists(archive.video(call))


def _state(summary: dict[str, Any]) -> str:
    match exit_code(summary):
        case 0:
            return "done"
        case 65:
            return "done with warnings"
        case _:
            return "failed"


def _field(state: str) -> str:
    first, *others = state.split(" ")
    return first + "".join(word.capitalize() for word in others)
