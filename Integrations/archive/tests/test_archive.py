"""The jobs, with a fake program: its arguments, and the handling of its output."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import NAMES, everything, records

from flourish_archive import cli, jobs, rows
from flourish_archive.inventory import Call, Inventory
from flourish_archive.program import Refused, Retry


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
    monkeypatch.setenv("FAKE_CHANGE", "1")
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
    monkeypatch.setenv("FAKE_VERSION", "2")
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
    monkeypatch.setenv("FAKE_VERSION", "2")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 69
    monkeypatch.delenv("FAKE_VERSION")
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"other")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 75
    assert "has changed" in capsys.readouterr().err


def test_records_do_not_tell_where_the_archive_lies(archive: jobs.Archive) -> None:
    Path(os.fsdecode(archive.source), os.fsdecode(b"br\xe9.mp4")).write_bytes(b"broken")
    go_through(archive)
    place = str(archive.work.parent)
    for kind in ("plans", "results", "checked"):
        assert place not in json.dumps(records(archive.work, kind))


def test_a_plan_of_another_program_is_refused(archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, plan = one(archive)
    jobs.plan(archive, call, plan)
    monkeypatch.setenv("FAKE_VERSION", "2")
    jobs.write_json(archive.identity(), archive.program.identity())
    with pytest.raises(Refused, match="the plan was made by another program"):
        jobs.render(archive, call, plan, archive.work / "result.json")


def test_what_was_gone_through_is_found(archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = rows.Walk(archive)
    call, _ = one(archive)
    assert rows.find(walk, call) is None
    row = rows.go_through(walk, call)
    assert rows.find(walk, call) == row
    assert (row["state"], row["reactions"], row["times"], row["seconds"]) == ("done", ["confetti"], [1.5], 3600)
    # Other options, another program, another file, a video that is gone.
    assert rows.find(rows.Walk(replace(archive, plan_options=("--hold", "2"))), call) is None
    assert rows.find(walk, replace(call, changed=1)) is None
    monkeypatch.setenv("FAKE_VERSION", "2")
    jobs.write_json(archive.identity(), archive.program.identity())
    assert rows.find(walk, call) is None
    assert rows.go_through(walk, call)["state"] == "done"
    os.remove(os.path.join(archive.target, call.path))
    assert rows.find(walk, call) is None


def test_what_may_go_well_is_tried_again_and_told(archive: jobs.Archive) -> None:
    path = Path(os.fsdecode(archive.source), "a.mp4")
    path.write_bytes(b"full")
    call, _ = one(archive)
    row = rows.go_through(rows.Walk(archive, pause=0.01), call)
    assert row["state"] == "failed" and "disk full" in row["message"]
    path.write_bytes(b"good")
    row = rows.go_through(rows.Walk(archive, pause=0.01), call)
    assert row["state"] == "failed" and "has changed" in row["message"]
    assert rows.go_through(rows.Walk(archive), Call.at(archive.source, b"a.mp4"))["state"] == "done"


def test_another_program_here_is_told_as_such(archive: jobs.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, _ = one(archive)
    monkeypatch.setenv("FAKE_VERSION", "2")
    assert rows.go_through(rows.Walk(archive), call)["state"] == "refused"
