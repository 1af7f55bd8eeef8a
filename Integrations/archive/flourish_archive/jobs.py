"""The jobs of one call: plan, render, check.

Each is idempotent and may run anywhere. A record is written last, by one rename, and a video is moved into
its place by one rename, so an engine sees only complete files, however often a worker was killed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flourish_archive import settings
from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Call
from flourish_archive.program import Broken, Refused, Retry
from flourish_archive.scratch import scratch
from flourish_archive.videos import decoding_error, place, sha256


def plan(archive: Archive, call: Call, record: Path) -> None:
    """Write the plan of `call` to `record`; for an unreadable call, write the reason.

    Its field `archive` has the call, the settings and the program's warnings.
    """
    made_with = settings.verified(archive, "plan")
    about = {**call.record(), "program": made_with["program"], "settings": settings.digest(made_with)}
    with scratch(archive.plan_scratch(), call) as folder:
        made = folder / "plan.json"
        try:
            warnings = _run(archive, call, folder, "plan", ["--output", str(made)], archive.plan_options)
        except Broken as broken:
            write_json(record, {"archive": about, "broken": {"code": broken.code, "message": str(broken)}})
            return
        planned = read_json(made)
        # The path of the archive differs from machine to machine.
        planned["source"]["path"] = _shown_name(call)
        planned["archive"] = {**about, "warnings": warnings}
        write_json(record, planned, sort=False)


def render(archive: Archive, call: Call, plan_record: Path, record: Path) -> None:
    """Render `call` by its plan into the target's folder, and write the result to `record`."""
    made_with = settings.verified(archive, "render")
    planned = read_json(plan_record)
    about = planned.get("archive", {})
    if "program" in about and about["program"] != (here := made_with["program"]):
        raise Refused(f"the plan was made by another program, {about['program']}, and this is {here}; plan it again")
    both = {"plan": about.get("settings"), "render": settings.digest(made_with)}
    if "broken" in planned:
        write_json(record, {**call.record(), "state": "broken", "settings": both, **planned["broken"]})
        return
    with scratch(archive.video_scratch(), call) as folder:
        made = folder / ("video" + _ending(call.path))
        words = [str(made), "--plan", str(plan_record.absolute())]
        try:
            warnings = _run(archive, call, folder, "filter", words, archive.render_options)
        except Broken as broken:
            raise Retry(f"it could be planned, and cannot be rendered: {broken}") from broken
        result = {
            **call.record(),
            "state": "done",
            "settings": both,
            "bytes": made.stat().st_size,
            "sha256": sha256(os.fsencode(made)),
            "fingerprint": planned["source"]["fingerprint"],
            "seconds": planned["source"]["duration"],
            "reactions": _shown(planned),
            # Both steps read the recording, and warn of the same damage.
            "warnings": list(dict.fromkeys([*about.get("warnings", []), *warnings])),
        }
        place(archive, call, made, str(result["sha256"]))
    write_json(record, result)


def check(archive: Archive, call: Call, result_record: Path, record: Path) -> None:
    """Verify the rendered video and write that to `record`.

    If the archive says `decode`, the recording and the video are decoded with FFmpeg, and damage becomes a warning.
    """
    made_with = settings.verified(archive, "check")
    result = read_json(result_record)
    if result["state"] == "done":
        target = archive.video(call)
        try:
            is_ours = os.stat(target).st_size == result["bytes"] and sha256(target) == result["sha256"]
        except OSError as error:
            result_record.unlink(missing_ok=True)
            raise Retry(f"the video cannot be read, and is rendered anew at the next start: {error}") from error
        if not is_ours:
            result_record.unlink(missing_ok=True)
            raise Retry("the video in the target's folder is not the one that was rendered")
        if archive.decode:
            try:
                with _unchanged(archive, call):
                    source_fault = decoding_error(os.path.join(archive.source, call.path))
            except Broken as broken:
                raise Retry(str(broken)) from broken
            target_fault = decoding_error(target)
            if source_fault:
                result["warnings"].append(f"FFmpeg finds the recording damaged: {source_fault}")
            elif target_fault:
                raise Retry(f"FFmpeg cannot decode the video: {target_fault}")
        if result["warnings"]:
            result["state"] = "done with warnings"
    write_json(record, {**result, "settings": {**result["settings"], "check": settings.digest(made_with)}})


def _run(
    archive: Archive, call: Call, folder: Path, command: str, words: list[str], options: tuple[str, ...]
) -> list[str]:
    """Run a command of the program on a call, and return the warnings; raises Broken, Refused or Retry."""
    with _unchanged(archive, call), _named(archive, call, folder) as source:
        try:
            warnings = archive.program.run([command, source, *words, *_quietly(options)])
        except Broken as broken:
            if settings.are_blamed(str(broken), options):
                # The program's exit code is the same for a damaged effect as for a damaged recording.
                raise Refused(str(broken)) from broken
            raise
        return _with_shown_name(warnings, source, call)


def _quietly(options: tuple[str, ...]) -> list[str]:
    configuration = [] if any(word.split("=")[0] == "--config" for word in options) else ["--no-config"]
    return [*configuration, "--progress", "none", *options]


def _shown(planned: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"reactionType": reaction["reactionType"], "time": reaction.get("startTime")}
        for reaction in planned["reactions"]
        if reaction.get("enabled", True)
    ]


def _shown_name(call: Call) -> str:
    return call.path.decode(errors="replace")


def _with_shown_name(messages: list[str], path: bytes, call: Call) -> list[str]:
    """Return messages with the archive's name of the call: paths differ from machine to machine."""
    return [message.replace(os.fsdecode(path), _shown_name(call)) for message in messages]


def _ending(path: bytes) -> str:
    return os.path.splitext(path)[1].decode("ascii", errors="ignore").lower()


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
def _named(archive: Archive, call: Call, folder: Path) -> Iterator[bytes]:
    """Provide the call's absolute path, or a link to it if it is not UTF-8; messages contain the archive's name."""
    path = os.path.abspath(os.path.join(archive.source, call.path))
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        link = folder / ("call" + _ending(call.path))
        link.symlink_to(os.fsdecode(path))
        path = os.fsencode(link)
    try:
        yield path
    except Broken as broken:
        raise Broken(broken.code, _with_shown_name([str(broken)], path, call)[0]) from broken
