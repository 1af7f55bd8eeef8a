"""An archive on a Ray cluster of two nodes, both on this machine."""

import os
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import NAMES, alone, everything, fill, is_like, redone, written

from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import Program, Refused
from flourish_archive.rows import Retries

ray = pytest.importorskip("ray", reason="ray is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from ray.cluster_utils import Cluster  # noqa: E402

from flourish_archive import on_ray, report, tables  # noqa: E402

DOZEN = [*NAMES, *(f"more/{number}.mp4".encode() for number in range(12 - len(NAMES)))]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    # Ray would lower the priority of its workers.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 200_000_000, "include_dashboard": False},
    )
    made.add_node(num_cpus=1, object_store_memory=200_000_000, env_vars={"TEST_NODE": "second"})
    # Workers import the tests' modules from the driver's paths.
    paths = f"{Path(__file__).parents[1]}:{Path(__file__).parent}"
    ray.init(address=made.address, runtime_env={"env_vars": {"PYTHONPATH": paths}}, log_to_driver=False)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def dozen(archive: Archive) -> Archive:
    fill(archive.source, DOZEN)
    return archive


def run(archive: Archive) -> list[dict[str, Any]]:
    """Process an archive, one call a task, and return the rows."""
    calls = prepare(archive, refresh=True).calls
    place = on_ray.run(archive, iter(calls), Retries(pause=0.05), cores=1, calls_a_task=1)
    rows: list[dict[str, Any]] = tables.read_results(place).to_pylist()
    return rows


def holding(archive: Archive, hold: Path) -> Archive:
    """Make the first program wait to be killed."""
    wrapper = hold.with_name("holding")
    wrapper.write_text(f'#!/bin/sh\nFAKE_HOLD={hold} exec {archive.program.path} "$@"\n')
    wrapper.chmod(0o755)
    return replace(archive, program=Program(str(wrapper)))


def test_a_worker_is_killed_and_a_call_is_broken(cluster: Any, dozen: Archive, tmp_path: Path) -> None:
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
    assert len(tables.calls_with(place, "confetti")) == 13 and tables.calls_with(place, "rain") == []
    # The killed worker's files are removed, and no other's.
    foreign = Path(os.fsdecode(dozen.target), ".flourish/journal.jsonl")
    foreign.parent.mkdir()
    foreign.touch()
    assert report.write(dozen, dozen.work / "report.json")["done"] == 13
    assert foreign.exists() and not (dozen.work / "scratch").exists()
    assert not Path(os.fsdecode(dozen.target), ".flourish-archive").exists()
    # Again: nothing is done, and the table is the same.
    before = written(dozen)
    assert run(dozen) == rows
    assert redone(dozen, before) == {}
    assert not list(dozen.work.glob(".*")) and not list(dozen.work.glob("results.parts*"))


def test_started_twice_at_once_both_are_right(cluster: Any, dozen: Archive, tmp_path: Path) -> None:
    made: list[list[dict[str, Any]]] = []
    threads = [threading.Thread(target=lambda: made.append(run(dozen))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2 and made[0] == made[1] and len(made[0]) == 12
    assert is_like(dozen, alone(dozen, tmp_path / "alone"))


def test_a_node_with_another_program_gets_no_calls(
    cluster: Any, dozen: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper = tmp_path / "by-node"
    wrapper.write_text(
        f'#!/bin/sh\n[ "$TEST_NODE" != second ] || export FAKE_VERSION=2\nexec {dozen.program.path} "$@"\n'
    )
    wrapper.chmod(0o755)
    rows = run(replace(dozen, program=Program(str(wrapper))))
    assert "gets no calls: the program here is another one: version is 2" in capsys.readouterr().err
    assert [row["state"] for row in rows] == ["done"] * len(DOZEN)
    assert not (dozen.work / "failed").exists()


def test_a_cluster_with_another_program_refuses(cluster: Any, dozen: Archive) -> None:
    calls = prepare(dozen, refresh=True).calls
    recorded = read_json(dozen.settings_record("plan"))
    write_json(dozen.settings_record("plan"), {**recorded, "program": {"version": "0"}})
    with pytest.raises(Refused, match=r"no node of the cluster .* version is 1, and the archive's is 0"):
        on_ray.run(dozen, iter(calls))
    assert not (dozen.work / "failed").exists() and not (dozen.work / "results.parquet").exists()
    assert {row["state"] for row in run(dozen)} == {"done"}


def test_warnings_are_in_the_table(cluster: Any, dozen: Archive) -> None:
    Path(os.fsdecode(dozen.source), "a.mp4").write_bytes(b"damaged call")
    (row,) = [row for row in run(dozen) if row["state"] != "done"]
    assert (row["path"], row["state"]) == ("a.mp4", "done with warnings")
    assert row["warnings"] == ["a.mp4: is truncated"]


def test_the_table_grows_while_the_run_goes_on(
    cluster: Any, dozen: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PART_SECONDS", 0.0)
    run(dozen)
    old = dozen.work / "results.parquet"
    assert old.exists()
    changed = replace(dozen, plan_options=("--hold", "2"))
    calls = prepare(changed).calls
    seen: list[int] = []
    with tables.growing(changed.work) as table:
        # The older table does not stand for a run that may fail.
        assert not old.exists()
        for rows in on_ray.results(iter(calls), changed, Retries(), calls_a_task=3):
            table.add(rows)
            parts = list((changed.work / "results.parts").glob("*/part-*.parquet"))
            seen.append(sum(tables.parquet.read_table(part).num_rows for part in parts))
        assert seen == [3, 6, 9, 12]
        assert tables.read_results(table.complete()).num_rows == 12
    row = next(tables.read_rows(old))
    # The parts of a run that failed stay until the next one.
    with pytest.raises(KeyboardInterrupt), tables.growing(changed.work) as table:
        table.add([row])
        raise KeyboardInterrupt
    assert len(list((changed.work / "results.parts").glob("*/part-*.parquet"))) == 1
    assert len(run(changed)) == 12 and not (changed.work / "results.parts").exists()


def test_metrics_count_calls_and_failures(cluster: Any, dozen: Archive) -> None:
    Path(os.fsdecode(dozen.source), "a.mp4").write_bytes(b"full")
    Path(os.fsdecode(dozen.source), "deep/er/b.MKV").write_bytes(b"broken")
    run(dozen)
    ports = [node["MetricsExportPort"] for node in ray.nodes() if node["Alive"]]
    if min(ports) <= 0:
        pytest.skip("metrics need ray[default]")
    for _ in range(60):
        text = "".join(scraped(port) for port in ports)
        if "ray_flourish_failures_total" in text and 'State="broken"' in text:
            break
        time.sleep(1)
    for name in ("calls", "failures", "seconds", "recorded_seconds"):
        assert f"ray_flourish_{name}_total" in text


def scraped(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return str(answer.read().decode())
    except OSError as error:
        return f"{error}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root mounts nothing")
def test_a_share_that_is_full(cluster: Any, dozen: Archive, tmp_path: Path) -> None:
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


def test_a_table_of_ones_own(cluster: Any, dozen: Archive) -> None:
    """Lines of JSON, or Parquet, of some calls only, with an extra column."""
    calls = prepare(dozen, refresh=True).calls
    lines = (dozen.work / "calls.jsonl").read_text().splitlines()[:5]
    table = dozen.work / "mine.jsonl"
    table.write_text("".join(line[:-1] + ', "room": "blue"}\n' for line in lines))
    assert list(tables.read_calls(table)) == calls[:5]
    assert list(tables.read_calls(tables.write_calls(dozen.work, calls))) == calls
    place = on_ray.run(dozen, tables.read_calls(table))
    assert tables.read_results(place).num_rows == 5
    assert len(list(Inventory(dozen.work).calls())) == len(DOZEN)
