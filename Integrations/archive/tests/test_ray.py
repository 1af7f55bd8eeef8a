"""An archive on a Ray cluster of two nodes, both on this machine."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import NAMES, everything, fill, records

from flourish_archive import jobs
from flourish_archive.inventory import Inventory
from flourish_archive.program import Program
from flourish_archive.rows import Walk, go_through

ray = pytest.importorskip("ray", reason="ray is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from ray.cluster_utils import Cluster  # noqa: E402

from flourish_archive import on_ray  # noqa: E402

DOZEN = [*NAMES, *(f"more/{number}.mp4".encode() for number in range(12 - len(NAMES)))]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    # Ray would lower the priority of its workers.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 200_000_000, "include_dashboard": False},
    )
    made.add_node(num_cpus=1, object_store_memory=200_000_000)
    # Workers import the tests' modules from the driver's paths.
    paths = f"{Path(__file__).parents[1]}:{Path(__file__).parent}"
    ray.init(address=made.address, runtime_env={"env_vars": {"PYTHONPATH": paths}}, log_to_driver=False)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def dozen(archive: jobs.Archive) -> jobs.Archive:
    fill(archive.source, DOZEN)
    return archive


def run(archive: jobs.Archive, **options: object) -> list[dict[str, Any]]:
    """Process an archive, one call a task, and return the rows."""
    walk = Walk(archive, pause=0.05, **options)  # type: ignore[arg-type]
    calls = on_ray.read_calls(on_ray.take_calls(archive.work, archive.source))
    place = archive.work / "results.parquet"
    on_ray.write_results(on_ray.results(calls, walk, cores=1, calls_a_task=1), place)
    rows: list[dict[str, Any]] = on_ray.read_results(place).to_pylist()
    return rows


def alone(archive: jobs.Archive, folder: Path) -> jobs.Archive:
    other = replace(archive, target=os.fsencode(folder / "reacted"), work=folder / "records")
    os.makedirs(other.target)
    jobs.write_json(other.identity(), other.program.identity())
    for call in Inventory(other.work).take(other.source):
        go_through(Walk(other, tries=1), call)
    return other


def is_like(archive: jobs.Archive, other: jobs.Archive) -> bool:
    same = [records(archive.work, kind) == records(other.work, kind) for kind in ("plans", "results", "checked")]
    return all(same) and everything(archive.target) == everything(other.target)


def holding(archive: jobs.Archive, hold: Path) -> jobs.Archive:
    """Make the first program wait to be killed."""
    wrapper = hold.with_name("holding")
    wrapper.write_text(f'#!/bin/sh\nFAKE_HOLD={hold} exec {archive.program.path} "$@"\n')
    wrapper.chmod(0o755)
    return replace(archive, program=Program(str(wrapper)))


def test_a_worker_is_killed_and_a_call_is_broken(cluster: Any, dozen: jobs.Archive, tmp_path: Path) -> None:
    Path(os.fsdecode(dozen.source), "bad.mp4").write_bytes(b"broken")
    Path(os.fsdecode(dozen.source), "empty.mp4").write_bytes(b"")
    hold = tmp_path / "hold"
    killed = []

    def kill() -> None:
        while not hold.exists() or not (text := hold.read_text()):
            threading.Event().wait(0.05)
        killed.append(int(text))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    rows = run(holding(dozen, hold))
    killer.join(timeout=1)
    assert len(killed) == 1
    assert is_like(dozen, alone(dozen, tmp_path / "alone"))
    assert len(rows) == 14 and len({row["id"] for row in rows}) == 14
    assert [row["path"] for row in rows if row["state"] != "done"] == ["bad.mp4"]
    place = dozen.work / "results.parquet"
    assert len(on_ray.calls_with(place, "confetti")) == 13 and on_ray.calls_with(place, "rain") == []
    # Again: nothing is done, and the table is the same.
    before = {path: path.stat().st_mtime_ns for path in (dozen.work / "checked").rglob("*.json")}
    assert run(dozen) == rows
    assert before == {path: path.stat().st_mtime_ns for path in (dozen.work / "checked").rglob("*.json")}
    assert not list(dozen.work.glob(".*.parquet*"))


def test_started_twice_at_once_both_are_right(cluster: Any, dozen: jobs.Archive, tmp_path: Path) -> None:
    made: list[list[dict[str, Any]]] = []
    threads = [threading.Thread(target=lambda: made.append(run(dozen))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2 and made[0] == made[1] and len(made[0]) == 12
    assert is_like(dozen, alone(dozen, tmp_path / "alone"))


def test_a_node_with_another_program_refuses(cluster: Any, dozen: jobs.Archive) -> None:
    identity = {"version": "0", "assets": "fnv1a:0"}
    jobs.write_json(dozen.identity(), identity)
    rows = run(dozen)
    assert {row["state"] for row in rows} == {"refused"}
    assert "version is 1, and the archive's is 0" in rows[0]["message"]
    jobs.write_json(dozen.identity(), dozen.program.identity())
    assert {row["state"] for row in run(dozen)} == {"done"}


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root mounts nothing")
def test_a_share_that_is_full(cluster: Any, dozen: jobs.Archive, tmp_path: Path) -> None:
    target = os.fsdecode(dozen.target)
    large = tmp_path / "large"
    large.write_text(f'#!/bin/sh\nFAKE_SIZE=100000 exec {dozen.program.path} "$@"\n')
    large.chmod(0o755)
    dozen = replace(dozen, program=Program(str(large)))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", target], check=True)
    try:
        states = [row["state"] for row in run(dozen)]
        assert states.count("failed") > 0 and states.count("done") > 0
        subprocess.run(["mount", "-o", "remount,size=4m", target], check=True)
        assert {row["state"] for row in run(dozen)} == {"done"}
        made = everything(dozen.target)
        assert made == {name: b"call " + name + b" reacted" + b"." * 100_000 for name in DOZEN}
    finally:
        subprocess.run(["umount", target], check=True)


def test_a_table_of_ones_own(cluster: Any, dozen: jobs.Archive) -> None:
    """Lines of JSON, of some calls only, with an extra column."""
    on_ray.take_calls(dozen.work, dozen.source)
    lines = (dozen.work / "calls.jsonl").read_text().splitlines()[:5]
    table = dozen.work / "mine.jsonl"
    table.write_text("".join(line[:-1] + ', "room": "blue"}\n' for line in lines))
    place = dozen.work / "mine.parquet"
    on_ray.write_results(on_ray.results(on_ray.read_calls(table), Walk(dozen)), place)
    assert on_ray.read_results(place).num_rows == 5
