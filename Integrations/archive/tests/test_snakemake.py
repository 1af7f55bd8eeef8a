"""The workflow in Snakemake, with two workers: a kill, an error, a full disk and a second start."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from conftest import INTEGRATIONS, NAMES, alone, everything, fill, is_like, records, redone, written
from test_archive import changed

from flourish_archive.archive import Archive

SNAKEMAKE = shutil.which("snakemake")
pytestmark = pytest.mark.skipif(SNAKEMAKE is None, reason="snakemake is not installed")

DOZEN = [*NAMES, *(f"more/{number}.mp4".encode() for number in range(12 - len(NAMES)))]
WORKFLOW = INTEGRATIONS / "snakemake"


@dataclass(frozen=True)
class Workflow:
    """The workflow on an archive, in a folder of its own."""

    archive: Archive

    @property
    def folder(self) -> Path:
        return self.archive.work.parent

    def command(self, *options: str, profile: str | None = None) -> list[str]:
        """Return the words of a start; Snakemake finds the usual profile by itself."""
        command = [str(SNAKEMAKE), "--snakefile", str(WORKFLOW / "workflow/Snakefile"), "--configfile", "archive.yaml"]
        command += ["--workflow-profile", profile] if profile else ["--cores", "2"]
        return [*command, "--nocolor", *options]

    def start(
        self, *options: str, environment: dict[str, str] | None = None, profile: str | None = None, **settings: object
    ) -> subprocess.Popen[str]:
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
        return subprocess.Popen(
            self.command(*options, profile=profile),
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(
        self, *options: str, environment: dict[str, str] | None = None, profile: str | None = None, **settings: object
    ) -> tuple[int, str]:
        process = self.start(*options, environment=environment, profile=profile, **settings)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def report(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads((self.archive.work / "report.json").read_text())
        return made


@pytest.fixture
def workflow(archive: Archive) -> Workflow:
    fill(archive.source, DOZEN)
    shutil.rmtree(archive.work)
    return Workflow(archive)


@pytest.fixture
def few(archive: Archive) -> Workflow:
    """A workflow with two calls."""
    for name in NAMES[2:]:
        os.remove(os.path.join(archive.source, name))
    shutil.rmtree(archive.work)
    return Workflow(archive)


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
    process = workflow.start(environment={"FAKE_HOLD": str(tmp_path / "hold")})
    os.kill(held(tmp_path / "hold"), signal.SIGKILL)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 1 and "done with warnings: 13 of 14 calls done; 1 broken" in output, output
    assert is_like(archive, alone(archive, tmp_path / "alone"))
    report = workflow.report()
    assert (report["calls"], report["done"], report["state"]) == (14, 13, "done with warnings")
    assert [entry["path"] for entry in report["problems"]] == ["bad.mp4"]
    assert not (archive.work / "scratch").exists()
    assert not os.path.exists(os.path.join(archive.target, b".flourish-archive"))
    # Again: nothing is done but the report. Who knows of the broken call may accept it.
    before = written(archive)
    code, output = workflow.run(refresh=False, accept=["broken"])
    assert code == 0 and "1 of 1 steps" in output, output
    assert redone(archive, before) == {}


def test_started_twice_the_second_refuses(workflow: Workflow, tmp_path: Path) -> None:
    first = workflow.start(environment={"FAKE_HOLD": str(tmp_path / "hold")})
    worker = held(tmp_path / "hold")
    code, output = workflow.run()
    assert code != 0 and "lock" in output.lower(), output
    os.kill(worker, signal.SIGKILL)
    assert first.communicate(timeout=300) and first.returncode == 0
    assert is_like(workflow.archive, alone(workflow.archive, tmp_path / "alone"))


def test_who_started_it_is_killed(workflow: Workflow, tmp_path: Path) -> None:
    assert workflow.run()[0] == 0
    process = workflow.start(environment={"FAKE_HOLD": str(tmp_path / "hold")}, plan_options="--hold 2")
    worker = held(tmp_path / "hold")
    process.kill()
    process.wait()
    os.kill(worker, signal.SIGKILL)
    # The report of the first run does not stand for this one.
    assert not (workflow.archive.work / "report.json").exists()
    subprocess.run(workflow.command("--unlock"), cwd=workflow.folder, check=True, capture_output=True)
    code, output = workflow.run(plan_options="--hold 2")
    assert code == 0, output
    other = replace(workflow.archive, plan_options=("--hold", "2"))
    assert is_like(other, alone(other, tmp_path / "alone"))


def test_only_what_has_changed_is_made_anew(workflow: Workflow) -> None:
    assert workflow.run()[0] == 0
    before = written(workflow.archive)
    Path(os.fsdecode(workflow.archive.source), "a.mp4").write_bytes(b"another call")
    code, output = workflow.run()
    assert code == 0, output
    assert redone(workflow.archive, before) == {"plans": 1, "results": 1, "checked": 1}
    assert everything(workflow.archive.target)[b"a.mp4"] == b"another call reacted"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("plan_options", {"plans": 2, "results": 2, "checked": 2}),
        ("render_options", {"results": 2, "checked": 2}),
        ("decode", {"checked": 2}),
        ("version", {"plans": 2, "results": 2, "checked": 2}),
        ("effect", {"plans": 2, "results": 2, "checked": 2}),
        ("configuration", {"results": 2, "checked": 2}),
        ("output", {"results": 1, "checked": 1}),
    ],
)
def test_a_change_repeats_exactly_what_it_affects(
    few: Workflow, change: str, expected: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    configuration = tmp_path / "render.toml"
    configuration.write_text("[effects]\ncalm = true\n")
    settings: dict[str, Any] = {"render_options": f"--config {configuration}"}
    code, output = few.run(**settings)
    assert code == 0, output
    before = written(few.archive)
    other = changed(
        replace(few.archive, render_options=("--config", str(configuration))), change, monkeypatch, configuration
    )
    settings = {"plan_options": " ".join(other.plan_options), "render_options": " ".join(other.render_options)}
    settings["decode"] = other.decode
    # A dry run shows the same, and writes nothing.
    here = everything(os.fsencode(few.archive.work)), everything(few.archive.target)
    code, output = few.run("--dry-run", **settings)
    assert code == 0, output
    named = {"plan": "plans", "render": "results", "check": "checked"}
    counted = re.findall(r"^(plan|render|check) +(\d+)$", output, re.MULTILINE)
    assert {named[rule]: int(count) for rule, count in counted} == expected, output
    assert here == (everything(os.fsencode(few.archive.work)), everything(few.archive.target))
    code, output = few.run(**settings)
    assert code == 0, output
    assert redone(few.archive, before) == expected, output
    assert few.report()["done"] == 2


def test_a_dry_run_of_a_new_archive_writes_nothing(few: Workflow) -> None:
    code, output = few.run("-n")
    assert code == 0 and "plan" in output, output
    assert not few.archive.work.exists() and everything(few.archive.target) == {}


def test_settings_that_do_not_exist_are_refused(few: Workflow) -> None:
    code, output = few.run(plan_option="--hold 2")
    assert code != 0 and "'plan_option' was unexpected" in output, output
    assert not few.archive.work.exists()


def test_an_archive_that_is_gone_is_refused(few: Workflow) -> None:
    assert few.run()[0] == 0
    before = everything(os.fsencode(few.archive.work))
    for name in NAMES[:2]:
        os.remove(os.path.join(few.archive.source, name))
    code, output = few.run()
    assert code != 0 and "would fall from 2 calls to 0" in output, output
    assert everything(os.fsencode(few.archive.work)) == before
    # A call less is none of these.
    fill(few.archive.source, NAMES[:1])
    code, output = few.run(accept=["stale"])
    assert code == 0 and "1 stale; 1 removed" in output, output
    assert everything(few.archive.target).keys() == set(NAMES[:2])


def test_what_was_refused_is_not_tried_again(few: Workflow, tmp_path: Path) -> None:
    """Restarts are for what may go well another time: the log of the program shows who ran."""
    with open(os.path.join(few.archive.target, b"a.mp4"), "wb") as file:
        file.write(b"of others")
    log = tmp_path / "ran"
    code, output = few.run(environment={"FAKE_CORES": str(log)})
    assert code == 1, output
    assert "did not write it" in output and "not tried again" in output, output
    # The program ran once for the refused call, and once for the other one.
    assert sorted(log.read_text().splitlines()) == ["filter 1"] * 2 + ["plan 1"] * 2
    report = few.report()
    assert (report["state"], report["failed"], report["done"]) == ("failed", 1, 1)
    (problem,) = report["problems"]
    assert problem["path"] == "a.mp4" and problem["message"].startswith("render: a.mp4 exists in the target's folder")


def test_what_fails_is_tried_again_and_reported(few: Workflow, tmp_path: Path) -> None:
    Path(os.fsdecode(few.archive.source), "a.mp4").write_bytes(b"full")
    log = tmp_path / "ran"
    code, output = few.run(environment={"FAKE_CORES": str(log)}, threads=2)
    assert code == 1, output
    # Three attempts, each with the cores that `threads` reserves.
    assert sorted(log.read_text().splitlines()) == ["filter 2"] + ["plan 2"] * 4
    report = few.report()
    assert (report["state"], report["failed"], report["done"]) == ("failed", 1, 1)
    assert "disk full" in report["problems"][0]["message"]
    Path(os.fsdecode(few.archive.source), "a.mp4").write_bytes(b"fits")
    code, output = few.run()
    assert code == 0 and few.report()["done"] == 2, output


def test_a_scheduler_gives_more_memory_and_time_to_later_attempts(few: Workflow, tmp_path: Path) -> None:
    """The profile for SLURM, with another scheduler in its place."""
    assert SNAKEMAKE
    if "cluster-generic" not in subprocess.check_output([SNAKEMAKE, "--help"], text=True):
        pytest.skip("snakemake-executor-plugin-cluster-generic is not installed")
    Path(os.fsdecode(few.archive.source), "a.mp4").write_bytes(b"full")
    submit, submitted = tmp_path / "submit", tmp_path / "submitted"
    submit.write_text(f'#!/bin/sh\necho "$@" >>{submitted}\nsh "$4" >/dev/null 2>&1 &\necho $!\n')
    submit.chmod(0o755)
    command = f"{submit} {{resources.mem_mb}} {{resources.runtime}} {{threads}}"
    options = ["--executor", "cluster-generic", "--cluster-generic-submit-cmd", command, "--cores", "1"]
    options += ["--group-components", "call=1", "--latency-wait", "5"]
    code, output = few.run(*options, profile=generic_profile(tmp_path), runtime_minutes=5)
    assert code == 1 and few.report()["failed"] == 1 and few.report()["done"] == 1, output
    asked = sorted(tuple(map(int, line.split()[:3])) for line in submitted.read_text().splitlines())
    # A group's time is the sum of its three jobs.
    assert asked == [(200, 15, 1), (200, 15, 1), (400, 30, 1), (600, 45, 1)]


def generic_profile(folder: Path) -> str:
    """Return the profile for SLURM without what only the plugin for SLURM understands."""
    lines = (WORKFLOW / "workflow/profiles/slurm/config.yaml").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("slurm-", "executor:"))]
    (folder / "profile").mkdir()
    (folder / "profile/config.yaml").write_text("\n".join(kept) + "\n")
    return str(folder / "profile")


def test_starts_of_a_part_do_all_of_it(workflow: Workflow) -> None:
    """Calls that failed come last, so that they do not keep the others from being done."""
    source = Path(os.fsdecode(workflow.archive.source))
    (source / "a.mp4").write_bytes(b"full")
    for done, failed, unfinished in ((4, 1, 7), (9, 1, 2), (11, 1, 0)):
        code, output = workflow.run("--restart-times", "0", batch_size=5)
        report = workflow.report()
        assert (report["done"], report["failed"], report["unfinished"]) == (done, failed, unfinished), output
        assert code == 1, output
    (source / "a.mp4").write_bytes(b"fits")
    code, output = workflow.run(batch_size=5)
    assert code == 0 and workflow.report()["state"] == "done", output


def test_a_start_of_a_part_succeeds(workflow: Workflow) -> None:
    for done in (5, 10, 12):
        code, output = workflow.run(batch_size=5)
        assert code == 0 and workflow.report()["done"] == done, output


def test_finished_calls_are_no_jobs(few: Workflow) -> None:
    """A start takes as long as what is left to do, and all calls where that is asked for."""
    code, output = few.run()
    assert code == 0, output
    fill(few.archive.source, [b"new.mp4"])
    for options, jobs in (((), 1), (("--forcerun", "check"), 3), (("--forceall",), 3)):
        code, output = few.run("-n", *options)
        assert code == 0 and re.search(rf"^check +{jobs}$", output, re.MULTILINE), output


def test_only_reviewed_plans_are_rendered(workflow: Workflow) -> None:
    assert workflow.run(gate=True)[0] == 0
    assert everything(workflow.archive.target) == {}
    assert workflow.report()["unreviewed"] == len(DOZEN)
    work = workflow.archive.work
    name = next(iter(records(work, "plans")))
    reviewed = workflow.folder / "reviewed" / name
    reviewed.parent.mkdir(parents=True)
    shutil.copy(work / "plans" / name, reviewed)
    code, output = workflow.run(gate=True)
    assert code == 0, output
    assert len(everything(workflow.archive.target)) == 1 and workflow.report()["done"] == 1
    # A reviewer changes one's mind: it is rendered again, and no other.
    before = written(workflow.archive)
    edited = json.loads(reviewed.read_text())
    reviewed.write_text(json.dumps({**edited, "reactions": []}))
    code, output = workflow.run(gate=True)
    assert code == 0 and redone(workflow.archive, before) == {"results": 1, "checked": 1}, output
    assert next(iter(records(work, "checked").values()))["reactions"] == []  # type: ignore[index]


def test_the_linter_finds_nothing(few: Workflow) -> None:
    assert SNAKEMAKE
    if subprocess.check_output([SNAKEMAKE, "--version"], text=True).startswith("8."):
        pytest.skip("the environments for conda are left out for Snakemake 8")
    code, output = few.run("--lint")
    assert code == 0 and "in a good condition" in output, output


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
        code, output = workflow.run(environment=large)
        assert code != 0, output
        assert "disk full" in output or "No space left" in output, output
        assert len(everything(workflow.archive.target)) < len(DOZEN)
        subprocess.run(["mount", "-o", "remount,size=4m", target], check=True)
        code, output = workflow.run(environment=large)
        assert code == 0, output
        made = everything(workflow.archive.target)
        assert made == {name: b"call " + name + b" reacted" + b"." * 100_000 for name in DOZEN}
    finally:
        for place in reversed(mounted):
            subprocess.run(["umount", place], check=True)


def test_reviewed_plans_of_another_program_are_refused(workflow: Workflow) -> None:
    assert workflow.run(gate=True)[0] == 0
    shutil.copytree(workflow.archive.work / "plans", workflow.folder / "reviewed")
    code, output = workflow.run(environment={"FAKE_VERSION": "2"}, gate=True)
    assert code != 0 and "the plan was made by another program" in output, output
    assert everything(workflow.archive.target) == {}


def test_times_ahead_of_ours_do_no_harm(workflow: Workflow) -> None:
    """A file server whose clock is an hour ahead."""
    ahead = time.time() + 3600
    for name in DOZEN:
        os.utime(os.path.join(workflow.archive.source, name), (ahead, ahead))
    assert workflow.run()[0] == 0
    before = written(workflow.archive)
    code, output = workflow.run(refresh=False)
    assert code == 0 and redone(workflow.archive, before) == {}, output
