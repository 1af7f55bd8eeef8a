"""The jobs of one call: plan, render, check; and the report.

Each is idempotent and may run anywhere. A record is written last, by one rename, and a video is moved into
its place by one rename, so an engine sees only complete files, however often a worker was killed.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Call
from flourish_archive.program import Broken, Program, Refused, Retry


@dataclass(frozen=True)
class Archive:
    """The sources, targets and options of an archive."""

    source: bytes
    """The folder with the calls; nothing is ever written there."""
    target: bytes
    """The folder for the videos, with the structure of the calls."""
    work: Path
    """The folder for records, shared by all workers."""
    program: Program
    plan_options: tuple[str, ...] = ()
    """Options of `flourish plan`."""
    render_options: tuple[str, ...] = ()
    """Options of `flourish filter`."""

    def identity(self) -> Path:
        """Return the record of the program that all workers must use."""
        return self.work / "identity.json"

    def demand_program(self) -> dict[str, Any]:
        """Refuse to run a program other than the archive's; return the versions of both."""
        identity: dict[str, Any] = read_json(self.identity())
        self.program.demand(identity)
        return identity

    def settings(self) -> str:
        """Return a hash of everything but the calls that determines the results."""
        parts = [read_json(self.identity()), self.plan_options, self.render_options]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def plan(archive: Archive, call: Call, record: Path) -> None:
    """Write the plan of `call` to `record`; for an unreadable call, write the reason.

    Its field `archive` names the call and the program.
    """
    identity = archive.demand_program()
    with _scratch(archive.work / "scratch", call) as scratch:
        made = scratch / "plan.json"
        try:
            with _unchanged(archive, call), _named(archive, call, scratch) as source:
                archive.program.run(["plan", source, "--output", str(made), *_quietly(archive.plan_options)])
        except Broken as broken:
            write_json(record, {"broken": {"code": broken.code, "message": str(broken)}})
            return
        planned = read_json(made)
        # The path of the archive differs from machine to machine.
        planned["source"]["path"] = _shown_name(call)
        planned["archive"] = {**call.record(), "program": identity, "options": list(archive.plan_options)}
        write_json(record, planned, sort=False)


def render(archive: Archive, call: Call, plan_record: Path, record: Path) -> None:
    """Render `call` by its plan into the target's folder, and write the result to `record`."""
    archive.demand_program()
    planned = read_json(plan_record)
    if "broken" in planned:
        broken = {**call.record(), "state": "broken", "settings": archive.settings(), **planned["broken"]}
        write_json(record, broken)
        return
    if "archive" in planned and planned["archive"]["program"] != (here := read_json(archive.identity())):
        made_by = planned["archive"]["program"]
        raise Refused(f"the plan was made by another program, {made_by}, and the archive's is {here}; plan it again")
    target = os.path.join(archive.target, call.path)
    # Beside the videos, since a rename stays within one file system; hidden, so that it is not mistaken for a video.
    with _scratch(Path(os.fsdecode(archive.target)) / ".flourish", call) as scratch:
        made = scratch / ("video" + _ending(call.path))
        with _unchanged(archive, call), _named(archive, call, scratch) as source:
            by = ["--plan", str(plan_record.absolute())]
            try:
                archive.program.run(["filter", source, str(made), *by, *_quietly(archive.render_options)])
            except Broken as broken:
                raise Retry(f"it could be planned, and cannot be rendered: {broken}") from broken
        result = {
            **call.record(),
            "state": "done",
            "settings": archive.settings(),
            "bytes": made.stat().st_size,
            "sha256": _sha256(os.fsencode(made)),
            "fingerprint": planned["source"]["fingerprint"],
            "seconds": planned["source"]["duration"],
            "reactions": _shown(planned),
        }
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.replace(made, target)
        except OSError as error:
            raise Retry(f"the video cannot be put into its place: {error}") from error
    write_json(record, result)


def check(archive: Archive, call: Call, result_record: Path, record: Path, decode: bool = False) -> None:
    """Verify the rendered video and write that to `record`; `decode` also decodes it with FFmpeg."""
    result = read_json(result_record)
    if result["state"] == "done":
        target = os.path.join(archive.target, call.path)
        try:
            if os.stat(target).st_size != result["bytes"] or _sha256(target) != result["sha256"]:
                raise Retry("the video in the target's folder is not the one that was rendered")
        except OSError as error:
            raise Retry(f"the video cannot be read: {error}") from error
        if decode and (fault := _fault(target)):
            # Damage of the call is copied with it.
            if not _fault(os.path.join(archive.source, call.path)):
                raise Retry(f"FFmpeg cannot decode the video: {fault}")
            result["message"] = "damaged, as the call is"
    write_json(record, {**result, "checked": True})


def report(records: list[Path], record: Path) -> dict[str, Any]:
    """Summarise checked results in `record`: counts, broken calls with reasons, and shown reactions."""
    results = [read_json(path) for path in records]
    broken = [result for result in results if result["state"] == "broken"]
    done = [result for result in results if result["state"] == "done"]
    reactions: dict[str, int] = {}
    for result in done:
        for reaction in result["reactions"]:
            reactions[reaction["reactionType"]] = reactions.get(reaction["reactionType"], 0) + 1
    summary = {
        "calls": len(results),
        "done": len(done),
        "hours": round(sum(result["seconds"] for result in done) / 3600, 3),
        "bytes": sum(result["bytes"] for result in done),
        "reactions": reactions,
        "broken": [{key: result[key] for key in ("path", "code", "message")} for result in broken],
    }
    write_json(record, summary)
    return summary


def _quietly(options: tuple[str, ...]) -> list[str]:
    return ["--no-config", "--progress", "none", *options]


def _shown(planned: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"reactionType": reaction["reactionType"], "time": reaction.get("startTime")}
        for reaction in planned["reactions"]
        if reaction.get("enabled", True)
    ]


def _sha256(path: bytes) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fault(path: bytes) -> str:
    """Return FFmpeg's errors when it decodes a video; an empty text for a valid one."""
    command: list[bytes | str] = [
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-xerror",
        "-i",
        os.path.abspath(path),
        "-f",
        "null",
        "-",
    ]
    done = subprocess.run([os.fsencode(part) for part in command], capture_output=True)
    said = done.stderr.decode(errors="replace").strip()
    return said or (f"exit code {done.returncode}" if done.returncode else "")


def _shown_name(call: Call) -> str:
    return call.path.decode(errors="replace")


def _ending(path: bytes) -> str:
    return os.path.splitext(path)[1].decode("ascii", errors="ignore").lower()


@contextmanager
def _scratch(place: Path, call: Call) -> Iterator[Path]:
    """Provide a temporary folder for this attempt; the report removes those of killed attempts."""
    folder = place / f"{call.id.replace('/', '')}.{os.uname().nodename}.{os.getpid()}"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    except OSError as error:
        raise Retry(f"{place}: {error}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        # The last attempt leaves nothing; with others running, the folder is not empty.
        with suppress(OSError):
            place.rmdir()


@contextmanager
def _unchanged(archive: Archive, call: Call) -> Iterator[None]:
    """Refuse a call that differs from the recorded one, before and after the job."""

    def look() -> None:
        try:
            now = Call.at(archive.source, call.path)
        except OSError as error:
            raise Broken(66, f"it cannot be read: {error.strerror}") from error
        if now != call:
            raise Retry("the call has changed since the inventory was taken; take it again when it is complete")

    look()
    yield
    look()


@contextmanager
def _named(archive: Archive, call: Call, scratch: Path) -> Iterator[bytes]:
    """Provide the call's absolute path, or a link to it if it is not UTF-8; messages contain the archive's name."""
    path = os.path.abspath(os.path.join(archive.source, call.path))
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        link = scratch / ("call" + _ending(call.path))
        link.symlink_to(os.fsdecode(path))
        path = os.fsencode(link)
    try:
        yield path
    except Broken as broken:
        raise Broken(broken.code, str(broken).replace(os.fsdecode(path), _shown_name(call))) from broken
