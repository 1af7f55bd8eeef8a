"""The jobs, with a fake program: its arguments, and the handling of its output."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import NAMES, call_named, everything, fill, records, redone, written

from flourish_archive import cli, jobs, report, rows
from flourish_archive.archive import Archive
from flourish_archive.inventory import Call, Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import OtherProgram, Program, Refused, Retry


def process_all(archive: Archive) -> dict[str, object]:
    for call in prepare(archive, refresh=True).calls:
        rows.process(archive, call, rows.Retries(tries=1))
    return report.write(archive, archive.work / "report.json")


def test_names_of_any_bytes_come_through(archive: Archive) -> None:
    summary = process_all(archive)
    assert everything(archive.target) == {name: b"call " + name + b" reacted" for name in NAMES}
    assert (summary["calls"], summary["done"], summary["broken"]) == (len(NAMES), len(NAMES), 0)
    assert summary["reactions"] == {"confetti": len(NAMES)}
    assert summary["hours"] == len(NAMES) and summary["state"] == "done"


def test_a_second_time_gives_the_same(archive: Archive) -> None:
    process_all(archive)
    before = everything(archive.target), everything(os.fsencode(archive.work))
    process_all(archive)
    assert (everything(archive.target), everything(os.fsencode(archive.work))) == before


def test_a_broken_call_is_reported_and_holds_up_nobody(archive: Archive) -> None:
    Path(os.fsdecode(archive.source), "bad.mp4").write_bytes(b"broken")
    summary = process_all(archive)
    assert (summary["done"], summary["broken"]) == (len(NAMES), 1)
    (problem,) = json.loads((archive.work / "report.json").read_text())["problems"]
    assert (problem["path"], problem["code"], problem["state"]) == ("bad.mp4", 65, "broken")
    assert "is no video" in problem["message"]
    assert report.exit_code(summary) == 65 and report.exit_code(summary, ("broken",)) == 0


def one(archive: Archive, name: bytes = b"a.mp4") -> tuple[Call, Path]:
    call = call_named(archive, name)
    return call, archive.record("plans", call)


def test_a_full_disk_is_tried_again_and_leaves_nothing(archive: Archive) -> None:
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"full")
    call, record = one(archive)
    with pytest.raises(Retry, match="disk full"):
        jobs.plan(archive, call, record)
    assert not record.exists()
    assert not (archive.work / "scratch").exists()


def test_a_call_that_changes_meanwhile_is_tried_again(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, record = one(archive)
    monkeypatch.setenv("FAKE_CHANGE", "1")
    with pytest.raises(Retry, match="has changed"):
        jobs.plan(archive, call, record)
    assert not record.exists()


def test_a_call_that_is_gone_is_broken(archive: Archive) -> None:
    call, record = one(archive)
    os.remove(os.path.join(archive.source, call.path))
    jobs.plan(archive, call, record)
    assert json.loads(record.read_text())["broken"]["code"] == 66


def test_another_program_is_refused(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, record = one(archive)
    monkeypatch.setenv("FAKE_VERSION", "2")
    with pytest.raises(OtherProgram, match="version is 2, and the archive's is 1"):
        jobs.plan(archive, call, record)


def test_another_effect_of_the_worker_is_refused(archive: Archive) -> None:
    call, record = one(archive)
    effects = Path(os.environ["XDG_CONFIG_HOME"], "flourish/effects")
    effects.mkdir(parents=True)
    (effects / "sparks.json").write_text("{}")
    with pytest.raises(OtherProgram, match=r"custom effects is .*, and the archive's is None"):
        jobs.plan(archive, call, record)


@pytest.mark.parametrize("name", ["flourish/effects/sparks.json", "flourish/gestures.json", "mine.toml"])
@pytest.mark.parametrize("step", ["plan", "render"])
def test_a_damaged_file_of_the_settings_makes_no_call_broken(archive: Archive, name: str, step: str) -> None:
    """The program's exit code is the same for both."""
    file = Path(os.environ["XDG_CONFIG_HOME"], name)
    file.parent.mkdir(parents=True)
    options = ("--config", str(file)) if name == "mine.toml" else ()
    archive = replace(archive, **{f"{step}_options": options})
    if step == "render":
        process_all(archive)
        shutil.rmtree(archive.work / "results")
        shutil.rmtree(archive.work / "checked")
    file.write_text("damaged")
    summary = process_all(archive)
    assert (summary["failed"], summary["broken"], summary["stale"]) == (len(NAMES), 0, 0)
    (message,) = {entry["message"] for entry in problems(archive)}
    assert f"{file}:1: is not valid" in message
    # Nothing is lost, and it goes on with the corrected file.
    file.write_text("correct")
    assert process_all(archive)["done"] == len(NAMES)


def problems(archive: Archive) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((archive.work / "report.json").read_text())["problems"]
    return found


def test_a_video_that_was_damaged_afterwards_is_found(archive: Archive) -> None:
    call, plan = one(archive)
    result = archive.record("results", call)
    jobs.plan(archive, call, plan)
    jobs.render(archive, call, plan, result)
    Path(os.fsdecode(archive.target), "a.mp4").write_bytes(b"call a.mp4 damaged")
    with pytest.raises(Retry, match="not the one that was rendered"):
        jobs.check(archive, call, result, archive.record("checked", call))
    # It is not known who wrote that: it stays.
    with pytest.raises(Refused, match="did not write it"):
        jobs.render(archive, call, plan, result)


def test_warnings_reach_record_row_and_report(archive: Archive) -> None:
    Path(os.fsdecode(archive.source), os.fsdecode(b"caf\xe9.mp4")).write_bytes(b"damaged call")
    call, _ = one(archive, b"caf\xe9.mp4")
    row = rows.process(archive, call, rows.Retries())
    assert (row["state"], row["warnings"]) == ("done with warnings", ["caf�.mp4: is truncated"])
    summary = process_all(archive)
    assert (summary["done"], summary["doneWithWarnings"]) == (len(NAMES) - 1, 1)
    assert summary["state"] == "done with warnings"
    assert report.exit_code(summary) == 65 and report.exit_code(summary, ("warnings",)) == 0
    (problem,) = json.loads((archive.work / "report.json").read_text())["problems"]
    assert problem == {"path": "caf%E9.mp4", "state": "done with warnings", "warnings": row["warnings"]}


def test_commands_say_what_an_engine_may_do(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    common = [
        f"--source={os.fsdecode(archive.source)}",
        f"--target={os.fsdecode(archive.target)}",
        f"--work={archive.work}",
        f"--program={archive.program.path}",
        "--cores=3",
    ]
    assert cli.main([*common, "start"]) == 0
    call, record = one(archive)
    monkeypatch.setenv("FAKE_CORES", str(tmp_path / "cores"))
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 0
    assert (tmp_path / "cores").read_text() == "plan 3\n"
    monkeypatch.setenv("FAKE_VERSION", "2")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 69
    monkeypatch.delenv("FAKE_VERSION")
    # An engine's second attempt at what was refused does nothing; its next run tries again.
    assert cli.main([*common, "plan", call.id, "--to", str(record), "--attempt", "2"]) == 69
    assert "not tried again: the program here is another one" in capsys.readouterr().err
    assert cli.main([*common, "plan", call.id, "--to", str(record), "--attempt", "1"]) == 0
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"other")
    assert cli.main([*common, "plan", call.id, "--to", str(record)]) == 75
    assert "has changed" in capsys.readouterr().err
    # Temporary failures are repeated.
    assert cli.main([*common, "start"]) == 0
    assert cli.main([*common, "plan", call.id, "--to", str(record), "--attempt", "2"]) == 0
    assert cli.main([*common, "report", "--to", str(tmp_path / "report.json")]) == 1


def test_records_do_not_tell_where_the_archive_lies(archive: Archive) -> None:
    Path(os.fsdecode(archive.source), os.fsdecode(b"br\xe9.mp4")).write_bytes(b"broken")
    Path(os.fsdecode(archive.source), "damaged.mp4").write_bytes(b"damaged")
    process_all(archive)
    place = str(archive.work.parent)
    for kind in ("plans", "results", "checked"):
        assert place not in json.dumps(records(archive.work, kind))


def test_a_plan_of_another_program_is_refused(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call, plan = one(archive)
    jobs.plan(archive, call, plan)
    monkeypatch.setenv("FAKE_VERSION", "2")
    prepare(archive)
    with pytest.raises(Refused, match="the plan was made by another program"):
        jobs.render(archive, call, plan, archive.record("results", call))


def test_what_may_go_well_is_tried_again_and_told(archive: Archive) -> None:
    path = Path(os.fsdecode(archive.source), "a.mp4")
    path.write_bytes(b"full")
    call, _ = one(archive)
    row = rows.process(archive, call, rows.Retries(pause=0.01))
    assert row["state"] == "failed" and "disk full" in row["message"]
    path.write_bytes(b"good")
    row = rows.process(archive, call, rows.Retries(pause=0.01))
    assert row["state"] == "failed" and "has changed" in row["message"]
    assert rows.process(archive, one(archive)[0], rows.Retries())["state"] == "done"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("nothing", {}),
        ("plan_options", {"plans": 6, "results": 6, "checked": 6}),
        ("render_options", {"results": 6, "checked": 6}),
        ("decode", {"checked": 6}),
        ("version", {"plans": 6, "results": 6, "checked": 6}),
        ("effect", {"plans": 6, "results": 6, "checked": 6}),
        ("gestures", {"plans": 6, "results": 6, "checked": 6}),
        ("configuration", {"results": 6, "checked": 6}),
        ("recording", {"plans": 1, "results": 1, "checked": 1}),
        ("output", {"results": 1, "checked": 1}),
    ],
)
def test_a_change_repeats_exactly_what_it_affects(
    archive: Archive, change: str, expected: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    configuration = tmp_path / "render.toml"
    configuration.write_text("[effects]\ncalm = true\n")
    archive = replace(archive, render_options=("--config", str(configuration)))
    process_all(archive)
    before = written(archive)
    archive = changed(archive, change, monkeypatch, configuration)
    summary = process_all(archive)
    assert redone(archive, before) == expected
    assert summary["calls"] == summary["done"] + summary["doneWithWarnings"] == 6


def changed(archive: Archive, change: str, monkeypatch: pytest.MonkeyPatch, configuration: Path) -> Archive:
    """Change one thing that the results depend on."""
    home = Path(os.environ["XDG_CONFIG_HOME"], "flourish")
    match change:
        case "plan_options":
            return replace(archive, plan_options=("--hold", "2"))
        case "render_options":
            return replace(archive, render_options=(*archive.render_options, "--crf", "20"))
        case "decode":
            stub_ffmpeg(configuration.parent / "bin", monkeypatch)
            return replace(archive, decode=True)
        case "version":
            monkeypatch.setenv("FAKE_VERSION", "2")
        case "effect":
            (home / "effects").mkdir(parents=True)
            (home / "effects/sparks.json").write_text("{}")
        case "gestures":
            home.mkdir(parents=True)
            (home / "gestures.json").write_text("{}")
        case "configuration":
            configuration.write_text("[effects]\ncalm = false\n")
        case "recording":
            Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"another call")
        case "output":
            os.remove(os.path.join(archive.target, b"a.mp4"))
    return archive


def stub_ffmpeg(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an ffmpeg on the path that finds every file valid, except for those with `damaged` in them."""
    folder.mkdir()
    (folder / "ffmpeg").write_text(
        "#!/bin/sh\n"
        '[ "$1" != -version ] || { echo "ffmpeg version 5.1"; exit; }\n'
        'for word; do [ "$last" = -i ] && file=$word; last=$word; done\n'
        '! grep -q damaged "$file" || { echo "[avi @ 0x55aa] damaged here" >&2; exit 1; }\n'
    )
    (folder / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_decoding_finds_damage_of_recordings(archive: Archive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The video that is made of a damaged recording may be valid itself."""
    stub_ffmpeg(tmp_path / "bin", monkeypatch)
    archive = replace(archive, decode=True)
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"with damaged packets")
    assert process_all(archive)["doneWithWarnings"] == 1
    (problem,) = json.loads((archive.work / "report.json").read_text())["problems"]
    assert problem["warnings"] == ["FFmpeg finds the recording damaged: [avi] damaged here"]


def test_the_report_names_all_that_is_not_done(archive: Archive) -> None:
    source = Path(os.fsdecode(archive.source))
    fill(archive.source, [b"later/gone.mp4", b"later/broken.mp4"])
    process_all(archive)
    (source / "later/gone.mp4").unlink()
    (source / "later/broken.mp4").write_bytes(b"broken")
    (source / "full.mp4").write_bytes(b"full")
    summary = process_all(archive)
    prepare(archive, refresh=True)
    (source / "new.mp4").write_bytes(b"not processed")
    prepare(archive, refresh=True)
    summary = report.write(archive, archive.work / "report.json")
    problems = json.loads((archive.work / "report.json").read_text())["problems"]
    told = {entry["path"]: (entry["state"], entry.get("stale", False)) for entry in problems}
    assert told == {
        "full.mp4": ("failed", False),
        "later/broken.mp4": ("broken", True),
        "later/gone.mp4": ("removed", True),
        "new.mp4": ("unfinished", False),
    }
    assert summary["state"] == "failed" and report.exit_code(summary, report.TOLERABLE) == 1
    assert (summary["stale"], summary["removed"], summary["calls"]) == (2, 1, len(NAMES) + 3)
    # A removed call that comes back is one again, and the videos of removed ones were not touched.
    assert b"later/gone.mp4" in everything(archive.target)
    fill(archive.source, [b"later/gone.mp4"])
    (source / "full.mp4").write_bytes(b"fits")
    summary = process_all(archive)
    assert (summary["removed"], summary["stale"], summary["failed"], summary["unfinished"]) == (0, 1, 0, 0)


def test_the_result_of_other_settings_is_none(archive: Archive) -> None:
    """A run that fails after a change of options must not be reported by the records of the one before."""
    process_all(archive)
    prepare(replace(archive, render_options=("--crf", "20")))
    summary = report.write(archive, archive.work / "report.json")
    assert (summary["done"], summary["unfinished"], summary["state"]) == (0, len(NAMES), "failed")


def test_cores_are_passed_on(archive: Archive, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAKE_CORES", str(tmp_path / "cores"))
    archive = replace(archive, program=Program(archive.program.path, 2))
    rows.process(archive, one(archive)[0], rows.Retries())
    assert (tmp_path / "cores").read_text() == "plan 2\nfilter 2\n"


def test_the_inventory_has_what_is_recorded(archive: Archive) -> None:
    inventory = Inventory(archive.work)
    calls = prepare(archive, refresh=True).calls
    assert list(inventory.calls()) == calls
    assert [inventory.call(call.id) for call in calls] == calls
