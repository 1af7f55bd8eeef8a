"""A dozen calls that the puppet plays, with the real program: without an engine, with Snakemake, with Ray."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import everything, records

from flourish_archive import jobs
from flourish_archive.inventory import Inventory
from flourish_archive.program import Program
from flourish_archive.rows import Walk, go_through

NAMES = [b"a.mp4", b"deep/er/b.mp4", b"caf\xe9.mp4", b"new\nline.mp4", b"-dash.mp4", b"quo'te\".mp4"]
NAMES += [f"{number}.mp4".encode() for number in range(12 - len(NAMES))]
KINDS = ("plans", "results", "checked")


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Draw two calls, under a dozen names, and add files that are no calls."""
    program = os.environ.get("FLOURISH_PROGRAM")
    if not program:
        pytest.skip("FLOURISH_PROGRAM names no program")
    folder = tmp_path_factory.mktemp("drawn")
    source = tmp_path_factory.mktemp("calls")
    for pose in ("victory", "thumbUp"):
        cue = {"time": 0.5, "pose": pose, "hands": "left", "hold": 1.8, "rise": 0.3}
        script = {"width": 480, "height": 270, "rate": 12, "duration": 8, "scene": {"seed": 3}, "cues": [cue]}
        (folder / f"{pose}.json").write_text(json.dumps(script))
        subprocess.run([program, "puppet", f"{pose}.json", f"{pose}.mp4"], cwd=folder, check=True)
    for number, name in enumerate(NAMES):
        path = os.path.join(os.fsencode(source), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.fsencode(folder / ("victory.mp4" if number % 2 else "thumbUp.mp4")), path)
    whole = (folder / "victory.mp4").read_bytes()
    (source / "cut.mp4").write_bytes(whole[:15_000])
    (source / "damaged.mp4").write_bytes(whole[: len(whole) // 3])
    (source / "empty.mp4").touch()
    (source / "text.mp4").write_text("no call at all")
    return os.fsencode(source)


@pytest.fixture(scope="module")
def alone(calls: bytes, tmp_path_factory: pytest.TempPathFactory) -> jobs.Archive:
    """The results of one machine, processed in sequence."""
    folder = tmp_path_factory.mktemp("alone")
    made = jobs.Archive(
        calls, os.fsencode(folder / "reacted"), folder / "records", Program(os.environ["FLOURISH_PROGRAM"])
    )
    os.mkdir(made.target)
    jobs.write_json(made.identity(), made.program.identity())
    for call in Inventory(made.work).take(calls):
        go_through(Walk(made, decode=True), call)
    return made


def beside(alone: jobs.Archive, folder: Path) -> jobs.Archive:
    os.mkdir(folder / "reacted")
    return replace(alone, target=os.fsencode(folder / "reacted"), work=folder / "records")


def is_like(archive: jobs.Archive, other: jobs.Archive) -> None:
    for kind in KINDS:
        assert records(archive.work, kind) == records(other.work, kind)
    assert everything(archive.target) == everything(other.target)


def test_one_machine(alone: jobs.Archive) -> None:
    made = everything(alone.target)
    assert sorted(made) == sorted([*NAMES, b"damaged.mp4"])
    results = records(alone.work, "checked").values()
    broken = {result["path"]: result["code"] for result in results if result["state"] == "broken"}  # type: ignore[index]
    assert broken == {"cut.mp4": 65, "empty.mp4": 65, "text.mp4": 65}
    assert [result["path"] for result in results if result.get("message") == "damaged, as the call is"] == [
        "damaged.mp4"
    ]  # type: ignore[index, attr-defined]
    done = [result for result in results if result["state"] == "done"]  # type: ignore[index]
    shown = {reaction["reactionType"] for result in done for reaction in result["reactions"]}  # type: ignore[index]
    assert shown == {"balloons", "thumbsUp"}
    assert all(len(video) > 10_000 for video in made.values())


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="snakemake is not installed")
def test_snakemake(alone: jobs.Archive, tmp_path: Path) -> None:
    from test_snakemake import Workflow

    archive = beside(alone, tmp_path)
    code, output = Workflow(archive).run(decode=True)
    assert code == 0, output
    is_like(archive, alone)


def test_ray(alone: jobs.Archive, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    archive = beside(alone, tmp_path)
    command = [sys.executable, "-m", "flourish_archive.on_ray", "--source", archive.source, "--target", archive.target]
    command += ["--work", str(archive.work), "--program", archive.program.path, "--cores", "1", "--decode"]
    package = str(Path(__file__).parents[1])
    done = subprocess.run(
        ["env", f"PYTHONPATH={package}", *command, "--calls-a-task", "4"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "13 of 16 calls done" in done.stderr and "broken: text.mp4" in done.stderr
    is_like(archive, alone)
