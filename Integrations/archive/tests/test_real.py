"""A dozen calls that the puppet plays, with the real program: without an engine, with Snakemake, with Ray."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import KINDS, everything, records

from flourish_archive import report
from flourish_archive.archive import Archive
from flourish_archive.prepare import prepare
from flourish_archive.program import Program
from flourish_archive.rows import Retries, process

NAMES = [b"a.mp4", b"deep/er/b.mp4", b"caf\xe9.mp4", b"new\nline.mp4", b"-dash.mp4", b"quo'te\".mp4"]
NAMES += [f"{number}.mp4".encode() for number in range(12 - len(NAMES))]


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
    film = folder / "victory.avi"
    subprocess.run(["ffmpeg", "-v", "error", "-i", folder / "victory.mp4", "-c:v", "mjpeg", film], check=True)
    (source / "half.avi").write_bytes(film.read_bytes()[: film.stat().st_size // 2])
    return os.fsencode(source)


@pytest.fixture(scope="module")
def alone(calls: bytes, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """The results of one machine, processed in sequence."""
    folder = tmp_path_factory.mktemp("alone")
    # As the engines below: the encoder's bytes depend on the number of cores.
    program = Program(os.environ["FLOURISH_PROGRAM"], 1)
    made = Archive(calls, os.fsencode(folder / "reacted"), folder / "records", program, decode=True)
    os.mkdir(made.target)
    for call in prepare(made).calls:
        process(made, call, Retries())
    return made


def beside(alone: Archive, folder: Path) -> Archive:
    os.mkdir(folder / "reacted")
    return replace(alone, target=os.fsencode(folder / "reacted"), work=folder / "records")


def is_like(archive: Archive, other: Archive) -> None:
    """Compare all but the bytes of the one video that is encoded as a whole: the encoder's vary from run to run."""

    def comparable(made: Archive) -> tuple[list[dict[str, object]], dict[bytes, bytes]]:
        found: list[dict[str, Any]] = [dict(records(made.work, kind)) for kind in KINDS]
        for record in (record for kind in found for record in kind.values() if record.get("path") == "half.avi"):
            assert record.pop("bytes") > 10_000 and record.pop("sha256")
        return found, {name: video for name, video in everything(made.target).items() if name != b"half.avi"}

    assert comparable(archive) == comparable(other)


@pytest.mark.parametrize("name", ["flourish/effects/sparks.json", "flourish/gestures.json", "mine.toml", "none.toml"])
def test_a_damaged_file_of_the_settings(
    calls: bytes, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    file = tmp_path / "configuration" / name
    file.parent.mkdir(parents=True)
    if name != "none.toml":
        file.write_text("{")
    options = ("--config", str(file)) if name.endswith(".toml") else ()
    program = Program(os.environ["FLOURISH_PROGRAM"])
    archive = Archive(calls, os.fsencode(tmp_path / "reacted"), tmp_path / "records", program, plan_options=options)
    call = next(call for call in prepare(archive).calls if call.path == b"0.mp4")
    row = process(archive, call, Retries())
    assert row["state"] == "refused" and str(file) in row["message"], row


def test_one_machine(alone: Archive) -> None:
    made = everything(alone.target)
    assert sorted(made) == sorted([*NAMES, b"damaged.mp4", b"half.avi"])
    summary = report.write(alone, alone.work / "report.json")
    problems = {entry["path"]: entry for entry in read_problems(alone)}
    broken = {path: entry["code"] for path, entry in problems.items() if entry["state"] == "broken"}
    assert broken == {"cut.mp4": 65, "empty.mp4": 65, "text.mp4": 65}
    warned = {path: entry["warnings"] for path, entry in problems.items() if entry["state"] == "done with warnings"}
    assert sorted(warned) == ["damaged.mp4", "half.avi"]
    # The program warns of both; FFmpeg finds the damage of the recording, of which the video may be free.
    for path, warnings in warned.items():
        assert any("damaged" in warning or "truncated" in warning for warning in warnings), path
    assert any(warning.startswith("FFmpeg finds the recording damaged") for warning in warned["damaged.mp4"])
    assert (summary["done"], summary["doneWithWarnings"], summary["state"]) == (12, 2, "done with warnings")
    done = [result for result in records(alone.work, "checked").values() if result["state"] == "done"]  # type: ignore[index]
    shown = {reaction["reactionType"] for result in done for reaction in result["reactions"]}  # type: ignore[index]
    assert shown == {"balloons", "thumbsUp"}
    assert all(len(video) > 10_000 for video in made.values())


def read_problems(archive: Archive) -> list[dict[str, Any]]:
    problems: list[dict[str, Any]] = json.loads((archive.work / "report.json").read_text())["problems"]
    return problems


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="snakemake is not installed")
def test_snakemake(alone: Archive, tmp_path: Path) -> None:
    from test_snakemake import Workflow

    archive = beside(alone, tmp_path)
    code, output = Workflow(archive).run(decode=True)
    assert code == 1 and "14 of 17 calls done; 2 done with warnings; 3 broken" in output, output
    is_like(archive, alone)


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="snakemake is not installed")
def test_a_folder_run_beside_workflows(calls: bytes, tmp_path: Path) -> None:
    """`filter --output-dir` and two workflows share a target: each goes on as if it were alone."""
    from test_snakemake import Workflow

    shared = tmp_path / "reacted"
    workflows, sources = [], []
    for name in ("one", "two", "folder"):
        sources.append(tmp_path / name / "calls")
        (sources[-1] / name).mkdir(parents=True)
        shutil.copy(os.path.join(calls, b"0.mp4"), sources[-1] / name / "a.mp4")
        work = tmp_path / name / "records"
        program = Program(os.environ["FLOURISH_PROGRAM"])
        workflows.append(Workflow(Archive(os.fsencode(sources[-1]), os.fsencode(shared), work, program)))

    def folder_run() -> subprocess.CompletedProcess[str]:
        command = [os.environ["FLOURISH_PROGRAM"], "filter", str(sources[2]), "--output-dir", str(shared)]
        return subprocess.run([*command, "--recursive", "--no-config"], capture_output=True, text=True)

    made = folder_run()
    assert made.returncode == 0, made.stderr
    for workflow in workflows[:2]:
        code, output = workflow.run()
        assert code == 0, output
    before = everything(os.fsencode(shared))
    assert sorted(name for name in before if name.endswith(b".mp4")) == [b"folder/a.mp4", b"one/a.mp4", b"two/a.mp4"]
    code, output = workflows[0].run("--forcerun", "all")
    assert code == 0, output
    # Its journal is there: it knows what it did, and touches no video of the workflows.
    made = folder_run()
    assert made.returncode == 0 and "1 done before" in made.stderr, made.stderr
    assert everything(os.fsencode(shared)) == before
    # A name that another wrote is refused by both sides, and its video is kept.
    for source, name in ((sources[0], "folder"), (sources[2], "one")):
        (source / name).mkdir()
        shutil.copy(os.path.join(calls, b"1.mp4"), source / name / "a.mp4")
    code, output = workflows[0].run()
    assert code == 1 and "did not write it" in output, output
    made = folder_run()
    assert made.returncode != 0 and "exists already" in made.stdout + made.stderr, made.stderr
    assert {
        name: video
        for name, video in everything(os.fsencode(shared)).items()
        if name in before and b".flourish" not in name
    } == {name: video for name, video in before.items() if b".flourish" not in name}


def test_ray(alone: Archive, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    archive = beside(alone, tmp_path)
    command = [sys.executable, "-m", "flourish_archive.on_ray", "--source", archive.source, "--target", archive.target]
    command += ["--work", str(archive.work), "--program", archive.program.path, "--cores", "1", "--decode"]
    package = str(Path(__file__).parents[1])
    done = subprocess.run(
        ["env", f"PYTHONPATH={package}", *command, "--calls-a-task", "4"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 65, done.stderr
    assert "14 of 17 calls done; 2 done with warnings; 3 broken" in done.stderr
    assert "broken: text.mp4" in done.stderr and "done with warnings: half.avi: " in done.stderr
    is_like(archive, alone)
