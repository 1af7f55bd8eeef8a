"""A target that belongs to several: nothing foreign is deleted or replaced."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import NAMES, call_named, everything, fill

from flourish_archive import jobs, report, rows
from flourish_archive.archive import Archive
from flourish_archive.inventory import Call
from flourish_archive.prepare import prepare
from flourish_archive.program import Refused
from flourish_archive.scratch import scratch, sweep

FOREIGN = {
    b".flourish/journal.jsonl": b"the journal of filter --output-dir",
    b".flourish/work/half.mp4": b"an unfinished video of it",
    b".flourish-archive/0123456789ab/unfinished.node.1/video.mp4": b"of another workflow",
    b".flourish-archive/0123456789ab/file": b"of another workflow",
    b".hidden": b"of the owner",
}


def put(folder: bytes, files: dict[bytes, bytes]) -> None:
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def process(archive: Archive) -> dict[str, object]:
    for call in prepare(archive, refresh=True).calls:
        rows.process(archive, call, rows.Retries(tries=1))
    return report.write(archive, archive.work / "report.json")


def test_foreign_files_survive_jobs_and_report(archive: Archive) -> None:
    put(archive.target, FOREIGN)
    process(archive)
    made = everything(archive.target)
    assert {name: made[name] for name in made.keys() - set(NAMES)} == FOREIGN


HOLD = """
import sys, time
from pathlib import Path
from flourish_archive.inventory import Call
from flourish_archive.scratch import scratch
with scratch(Path(sys.argv[1]), Call("ab/0123456789abcdef", b"a", 1, 1)) as folder:
    (folder / "video.mp4").write_text("half")
    print(folder, flush=True)
    time.sleep(60)
"""


def test_scratch_of_the_dead_is_removed_and_of_the_living_kept(archive: Archive) -> None:
    place = archive.video_scratch()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    workers = [
        subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    try:
        folders = [Path(worker.stdout.readline().strip()) for worker in workers if worker.stdout]
        assert all(folder.is_dir() for folder in folders) and folders[0] != folders[1]
        workers[0].kill()
        workers[0].wait()
        process(archive)
        assert [folder.exists() for folder in folders] == [False, True]
        workers[1].kill()
        workers[1].wait()
        assert sweep(place) == 1
        assert not Path(os.fsdecode(archive.target), ".flourish-archive").exists()
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def test_sweeping_beside_attempts_that_begin(archive: Archive) -> None:
    """Between the making of a folder and its lock, a sweep may take it: the attempt makes another."""
    place = archive.plan_scratch()
    call = Call("ab/0123456789abcdef", b"a", 1, 1)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    sweeping = "import sys\nfrom pathlib import Path\nfrom flourish_archive.scratch import sweep\n"
    sweeping += "while True: sweep(Path(sys.argv[1]))"
    sweeper = subprocess.Popen([sys.executable, "-c", sweeping, str(place)], env=environment)
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            with scratch(place, call) as folder:
                (folder / "video").write_text("half")
                assert (folder / "video").read_text() == "half"
        assert sweeper.poll() is None
    finally:
        sweeper.kill()
        sweeper.wait()


def test_a_video_of_others_is_kept_and_the_call_refused(archive: Archive) -> None:
    put(archive.target, {b"a.mp4": b"of a folder run"})
    call = call_named(archive, b"a.mp4")
    row = rows.process(archive, call, rows.Retries())
    assert row["state"] == "refused" and "did not write it" in row["message"]
    assert everything(archive.target) == {b"a.mp4": b"of a folder run"}
    assert process(archive)["failed"] == 1


def test_two_workflows_with_one_target_keep_their_videos(archive: Archive, tmp_path: Path) -> None:
    other = replace(archive, source=os.fsencode(tmp_path / "other calls"), work=tmp_path / "other records")
    fill(other.source, [b"a.mp4", b"b.mp4"])
    Path(os.fsdecode(other.source), "a.mp4").write_bytes(b"another call")
    process(archive)
    before = everything(archive.target)
    summary = process(other)
    assert (summary["done"], summary["failed"]) == (1, 1)
    assert everything(archive.target) == {**before, b"b.mp4": b"call b.mp4 reacted"}
    # The first one replaces its own.
    archive = replace(archive, render_options=("--crf", "20"))
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"a later version")
    assert process(archive)["done"] == len(NAMES)
    assert everything(archive.target)[b"a.mp4"] == b"a later version reacted"


@pytest.mark.parametrize("moment", ["before the rename", "after the rename"])
def test_a_crash_while_a_video_is_placed(archive: Archive, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = call_named(archive, b"a.mp4")
    rows.process(archive, call, rows.Retries())
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"a later version")
    call = call_named(archive, b"a.mp4")
    plan, result = archive.record("plans", call), archive.record("results", call)
    jobs.plan(archive, call, plan)
    real = os.replace

    def replaced(source: object, target: object) -> None:
        if os.fsencode(str(target) if isinstance(target, Path) else target) == archive.video(call):  # type: ignore[arg-type]
            if moment == "after the rename":
                real(source, target)  # type: ignore[arg-type]
            raise KeyboardInterrupt
        real(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", replaced)
    result.unlink()
    with pytest.raises(KeyboardInterrupt):
        jobs.render(archive, call, plan, result)
    monkeypatch.setattr(os, "replace", real)
    assert not result.exists()
    jobs.render(archive, call, plan, result)
    assert everything(archive.target)[b"a.mp4"] == b"a later version reacted"


def test_a_file_that_appears_while_a_video_is_placed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    call = call_named(archive, b"a.mp4")
    plan = archive.record("plans", call)
    jobs.plan(archive, call, plan)
    real = os.link

    def linked(source: object, target: object) -> None:
        if target == archive.video(call):
            put(archive.target, {b"a.mp4": b"of somebody faster"})
        real(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", linked)
    with pytest.raises(Refused, match="did not write it"):
        jobs.render(archive, call, plan, archive.record("results", call))
    assert everything(archive.target) == {b"a.mp4": b"of somebody faster"}
