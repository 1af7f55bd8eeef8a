"""The jobs, with a pretended program: what it is asked for, and what is made of its answers."""

import json
import os
from pathlib import Path

import pytest

from flourish_archive import cli, jobs
from flourish_archive.inventory import Call, Inventory
from flourish_archive.program import Program, Refused, Retry

PRETENDED = r"""#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
if words == ["--version", "--json"]:
    print(json.dumps({"version": os.environ.get("PRETENDED_VERSION", "1")}))
    sys.exit()
source = words[1]
content = open(source, "rb").read()
if os.environ.get("PRETENDED_CHANGE"):
    open(source, "ab").write(b"more")
if content == b"broken":
    print(f"flourish: {source}: is no video", file=sys.stderr)
    sys.exit(65)
if content == b"full":
    print("flourish: disk full", file=sys.stderr)
    sys.exit(74)
if words[0] == "plan":
    reactions = [{"reactionType": "confetti", "startTime": 1.5}, {"reactionType": "rain", "enabled": False}]
    plan = {"source": {"fingerprint": "f", "duration": 3600}, "reactions": reactions}
    json.dump(plan, open(words[words.index("--output") + 1], "w"))
else:
    open(words[2], "wb").write(content + b" reacted")
"""

NAMES = [b"a.mp4", b"deep/er/b.MKV", b"caf\xe9.mp4", b"new\nline.mp4", b"-dash.mp4", b"quo'te\".webm"]


@pytest.fixture
def archive(tmp_path: Path) -> jobs.Archive:
    program = tmp_path / "pretended"
    program.write_text(PRETENDED)
    program.chmod(0o755)
    source = os.fsencode(tmp_path / "calls")
    for name in NAMES:
        path = os.path.join(source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"call " + name)
    target = os.fsencode(tmp_path / "reacted")
    os.mkdir(target)
    made = jobs.Archive(source, target, tmp_path / "records", Program(str(program)))
    jobs.write_json(made.identity(), made.program.identity())
    return made


def go_through(archive: jobs.Archive) -> dict[str, object]:
    calls = Inventory(archive.work).take(archive.source)
    checked = []
    for call in calls:
        plan, result = archive.work / "plans" / f"{call.id}.json", archive.work / "results" / f"{call.id}.json"
        checked.append(archive.work / "checked" / f"{call.id}.json")
        jobs.plan(archive, call, plan)
        jobs.render(archive, call, plan, result)
        jobs.check(archive, call, result, checked[-1])
    return jobs.report(checked, archive.work / "report.json")


def everything(folder: bytes) -> dict[bytes, bytes]:
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def test_names_of_any_bytes_come_through(archive: jobs.Archive) -> None:
    summary = go_through(archive)
    assert everything(archive.target) == {name: b"call " + name + b" reacted" for name in NAMES}
    assert (summary["calls"], summary["done"], summary["broken"]) == (len(NAMES), len(NAMES), [])
    assert summary["reactions"] == {"confetti": len(NAMES)}
    assert summary["hours"] == len(NAMES)


def test_a_second_time_gives_the_same(archive: jobs.Archive) -> None:
    go_through(archive)
    before = everything(archive.target), everything(os.fsencode(archive.work))
    go_through(archive)
    assert (everything(archive.target), everything(os.fsencode(archive.work))) == before


def test_a_broken_call_is_reported_and_holds_up_nobody(archive: jobs.Archive) -> None:
    Path(os.fsdecode(archive.source), "bad.mp4").write_bytes(b"broken")
    summary = go_through(archive)
    assert summary["done"] == len(NAMES)
    broken = summary["broken"]
    assert isinstance(broken, list) and len(broken) == 1
    assert broken[0]["path"] == "bad.mp4" and broken[0]["code"] == 65 and "is no video" in broken[0]["message"]


def one(archive: jobs.Archive, name: bytes = b"a.mp4") -> tuple[Call, Path]:
    call = Call.at(archive.source, name)
    return call, archive.work / "plans" / f"{call.id}.json"


def test_a_full_disk_is_tried_again_and_leaves_nothing(archive: jobs.Archive) -> None:
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"full")
    call, record = one(archive)
    with pytest.raises(Retry, match="disk full"):
        jobs.plan(archive, call, record)
    assert not record.exists()
    assert not (archive.work / "scratch").exists()


def test_a_call_that_changes_meanwhile_is_tried_again(archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, record = one(archive)
    monkeypatch.setenv("PRETENDED_CHANGE", "1")
    with pytest.raises(Retry, match="has changed"):
        jobs.plan(archive, call, record)
    assert not record.exists()


def test_a_call_that_is_gone_is_broken(archive: jobs.Archive) -> None:
    call, record = one(archive)
    os.remove(os.path.join(archive.source, call.path))
    jobs.plan(archive, call, record)
    assert json.loads(record.read_text())["broken"]["code"] == 66


def test_another_program_is_refused(archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, record = one(archive)
    monkeypatch.setenv("PRETENDED_VERSION", "2")
    with pytest.raises(Refused, match="version is 2, and the archive's is 1"):
        jobs.plan(archive, call, record)


def test_a_video_that_was_damaged_afterwards_is_found(archive: jobs.Archive) -> None:
    call, plan = one(archive)
    result = archive.work / "result.json"
    jobs.plan(archive, call, plan)
    jobs.render(archive, call, plan, result)
    Path(os.fsdecode(archive.target), "a.mp4").write_bytes(b"call a.mp4 damaged")
    with pytest.raises(Retry, match="not the one that was rendered"):
        jobs.check(archive, call, result, archive.work / "checked.json")


def test_only_what_has_changed_gets_another_record(archive: jobs.Archive) -> None:
    inventory = Inventory(archive.work)
    calls = inventory.take(archive.source)
    assert inventory.calls() == calls
    assert [inventory.call(call.id) for call in calls] == calls
    times = {call.path: inventory.source(call.id).stat().st_mtime_ns for call in calls}
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"longer than before")
    changed = [
        call.path
        for call in inventory.take(archive.source)
        if inventory.source(call.id).stat().st_mtime_ns != times[call.path]
    ]
    assert changed == [b"a.mp4"]


def test_commands_say_what_an_engine_may_do(
    archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [
        f"--source={os.fsdecode(archive.source)}",
        f"--target={os.fsdecode(archive.target)}",
        f"--work={archive.work}",
        f"--program={archive.program.path}",
    ]
    assert cli.main([*common, "inventory"]) == 0
    call, record = one(archive)
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 0
    monkeypatch.setenv("PRETENDED_VERSION", "2")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 69
    monkeypatch.delenv("PRETENDED_VERSION")
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"other")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 75
    assert "has changed" in capsys.readouterr().err
