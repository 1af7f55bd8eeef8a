"""The workflow in Snakemake, with two workers: a kill, an error, a full disk and a second start."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import INTEGRATIONS, NAMES, everything, fill, records

from flourish_archive import jobs, rows
from flourish_archive.inventory import Inventory

SNAKEMAKE = shutil.which("snakemake")
pytestmark = pytest.mark.skipif(SNAKEMAKE is None, reason="snakemake is not installed")

DOZEN = [*NAMES, *(f"more/{number}.mp4".encode() for number in range(12 - len(NAMES)))]
KINDS = ("plans", "results", "checked")


@dataclass(frozen=True)
class Workflow:
    """The workflow on an archive, in a folder of its own."""

    archive: jobs.Archive

    @property
    def folder(self) -> Path:
        return self.archive.work.parent

    def start(self, environment: dict[str, str] | None = None, **settings: object) -> subprocess.Popen[str]:
        configuration = {
            "source": os.fsdecode(self.archive.source),
            "target": os.fsdecode(self.archive.target),
            "program": self.archive.program.path,
            "python": sys.executable,
            "threads": 1,
            "memory_mb": 200,
            "refresh": True,
            **settings,
        }
        # JSON is YAML, too.
        (self.folder / "archive.yaml").write_text(json.dumps(configuration))
        workflow = INTEGRATIONS / "snakemake"
        command = [str(SNAKEMAKE), "--snakefile", str(workflow / "Snakefile"), "--configfile", "archive.yaml"]
        command += ["--profile", str(workflow / "profiles/machine"), "--cores", "2", "--nocolor"]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, environment: dict[str, str] | None = None, **settings: object) -> tuple[int, str]:
        process = self.start(environment, **settings)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def report(self) -> dict[str, object]:
        made: dict[str, object] = json.loads((self.archive.work / "report.json").read_text())
        return made


@pytest.fixture
def workflow(archive: jobs.Archive) -> Workflow:
    fill(archive.source, DOZEN)
    archive.identity().unlink()
    return Workflow(archive)


def alone(archive: jobs.Archive, folder: Path) -> jobs.Archive:
    """Process the same calls without an engine, in sequence."""
    other = replace(archive, target=os.fsencode(folder / "reacted"), work=folder / "records")
    os.makedirs(other.target)
    jobs.write_json(other.identity(), other.program.identity())
    for call in Inventory(other.work).take(other.source):
        rows.go_through(rows.Walk(other, tries=1), call)
    return other


def is_like(archive: jobs.Archive, other: jobs.Archive) -> bool:
    same = [records(archive.work, kind) == records(other.work, kind) for kind in KINDS]
    return all(same) and everything(archive.target) == everything(other.target)


def held(path: Path) -> int:
    """Wait for a fake program that can be killed, and return its parent process."""
    for _ in range(600):
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.05)
    raise TimeoutError


def test_a_worker_is_killed_and_a_call_is_broken(workflow: Workflow, tmp_path: Path) -> None:
    archive = workflow.archive
    Path(os.fsdecode(archive.source), "bad.mp4").write_bytes(b"broken")
    Path(os.fsdecode(archive.source), "empty.mp4").write_bytes(b"")
    process = workflow.start({"FAKE_HOLD": str(tmp_path / "hold")})
    os.kill(held(tmp_path / "hold"), signal.SIGKILL)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    assert is_like(archive, alone(archive, tmp_path / "alone"))
    report = workflow.report()
    assert (report["calls"], report["done"]) == (14, 13)
    assert [entry["path"] for entry in report["broken"]] == ["bad.mp4"]  # type: ignore[index, attr-defined]
    assert not (archive.work / "scratch").exists()
    assert not os.path.exists(os.path.join(archive.target, b".flourish"))
    # Again: nothing is done.
    before = {path: path.stat().st_mtime_ns for path in archive.work.rglob("*.json")}
    code, output = workflow.run(refresh=False)
    assert code == 0 and "Nothing to be done" in output, output
    assert before == {path: path.stat().st_mtime_ns for path in archive.work.rglob("*.json")}


def test_started_twice_the_second_refuses(workflow: Workflow, tmp_path: Path) -> None:
    first = workflow.start({"FAKE_HOLD": str(tmp_path / "hold")})
    worker = held(tmp_path / "hold")
    code, output = workflow.run()
    assert code != 0 and "lock" in output.lower(), output
    os.kill(worker, signal.SIGKILL)
    assert first.communicate(timeout=300) and first.returncode == 0
    assert is_like(workflow.archive, alone(workflow.archive, tmp_path / "alone"))


def test_who_started_it_is_killed(workflow: Workflow, tmp_path: Path) -> None:
    process = workflow.start({"FAKE_HOLD": str(tmp_path / "hold")})
    worker = held(tmp_path / "hold")
    process.kill()
    process.wait()
    os.kill(worker, signal.SIGKILL)
    subprocess.run(
        [
            str(SNAKEMAKE),
            "--snakefile",
            str(INTEGRATIONS / "snakemake/Snakefile"),
            "--configfile",
            "archive.yaml",
            "--unlock",
        ],
        cwd=workflow.folder,
        check=True,
        capture_output=True,
    )
    code, output = workflow.run()
    assert code == 0, output
    assert is_like(workflow.archive, alone(workflow.archive, tmp_path / "alone"))


def test_only_what_has_changed_is_made_anew(workflow: Workflow) -> None:
    assert workflow.run()[0] == 0
    before = {path: path.stat().st_mtime_ns for path in (workflow.archive.work / "results").rglob("*.json")}
    Path(os.fsdecode(workflow.archive.source), "a.mp4").write_bytes(b"another call")
    code, output = workflow.run()
    assert code == 0, output
    changed = [path for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert len(changed) == 1
    assert everything(workflow.archive.target)[b"a.mp4"] == b"another call reacted"


def test_only_reviewed_plans_are_rendered(workflow: Workflow) -> None:
    assert workflow.run(gate=True)[0] == 0
    assert everything(workflow.archive.target) == {}
    work = workflow.archive.work
    name = next(iter(records(work, "plans")))
    reviewed = workflow.folder / "reviewed" / name
    reviewed.parent.mkdir(parents=True)
    shutil.copy(work / "plans" / name, reviewed)
    code, output = workflow.run(gate=True)
    assert code == 0, output
    assert len(everything(workflow.archive.target)) == 1 and workflow.report()["done"] == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root mounts nothing")
def test_a_share_that_is_full_and_a_source_that_is_read_only(workflow: Workflow, tmp_path: Path) -> None:
    target, source = os.fsdecode(workflow.archive.target), os.fsdecode(workflow.archive.source)
    mounted = []
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", target], check=True)
        mounted.append(target)
        subprocess.run(["mount", "--bind", "-o", "ro", source, source], check=True)
        mounted.append(source)
        large = {"FAKE_SIZE": "100000"}
        code, output = workflow.run(large)
        assert code != 0, output
        assert "disk full" in output or "No space left" in output, output
        assert len(everything(workflow.archive.target)) < len(DOZEN)
        subprocess.run(["mount", "-o", "remount,size=4m", target], check=True)
        code, output = workflow.run(large)
        assert code == 0, output
        made = everything(workflow.archive.target)
        assert made == {name: b"call " + name + b" reacted" + b"." * 100_000 for name in DOZEN}
    finally:
        for place in reversed(mounted):
            subprocess.run(["umount", place], check=True)


def test_a_machine_with_another_program_refuses(workflow: Workflow) -> None:
    assert workflow.run(gate=True)[0] == 0
    shutil.copytree(workflow.archive.work / "plans", workflow.folder / "reviewed")
    code, output = workflow.run({"FAKE_VERSION": "2"}, gate=True)
    assert code != 0 and "the program here is another one: version is 2, and the archive's is 1" in output, output
    assert everything(workflow.archive.target) == {}


def test_times_ahead_of_ours_do_no_harm(workflow: Workflow) -> None:
    """A file server whose clock is an hour ahead."""
    ahead = time.time() + 3600
    for name in DOZEN:
        os.utime(os.path.join(workflow.archive.source, name), (ahead, ahead))
    assert workflow.run()[0] == 0
    code, output = workflow.run(refresh=False)
    assert code == 0 and "Nothing to be done" in output, output
