"""An archive on a Ray cluster: a table of calls goes in, a table of results comes out.

    python -m flourish_archive.on_ray --source /srv/calls --target /srv/reacted --work /srv/records

Every worker needs the program and this package, and sees the three folders at the same paths. Tasks that are
restarted, or run twice by Ray, skip finished jobs and leave the same files.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import ray
from ray.util import metrics

from flourish_archive import arguments, report, settings, tables
from flourish_archive.archive import Archive
from flourish_archive.inventory import Call
from flourish_archive.prepare import prepare
from flourish_archive.program import REFUSED, OtherProgram, Refused
from flourish_archive.rows import Retries, failure, find, process

SPARE_TASKS = 2
"""The number of tasks that wait for each core of the cluster."""


@dataclass
class Excluded:
    """The nodes that cannot do any call of the archive, with the reasons."""

    reasons: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """Return the options of a task that must not run on them."""
        return {"label_selector": {"ray.io/node-id": f"!in({','.join(self.reasons)})"}} if self.reasons else {}

    def add(self, node: str, reason: str) -> None:
        """Exclude a node; raises Refused if none is left."""
        if node not in self.reasons:
            print(f"flourish-archive: node {node[:12]} gets no calls: {reason}", file=sys.stderr)
        self.reasons[node] = reason
        if all(other["NodeID"] in self.reasons for other in ray.nodes() if other["Alive"]):
            raise Refused(f"no node of the cluster can do the calls: {reason}")


@dataclass(frozen=True)
class OtherNode:
    """The answer of a task on a node with another program: its calls belong to another node."""

    node: str
    reason: str


def results(
    calls: Iterator[Call], archive: Archive, retries: Retries, cores: float = 1, calls_a_task: int = 8
) -> Iterator[list[dict[str, Any]]]:
    """Process `calls` and return their rows as tasks finish; each task uses `cores`, and processes some in sequence.

    A task whose worker is killed is restarted by Ray, and continues with the missing ones. The number of tasks that
    wait is bounded, so that memory does not grow with the number of calls. Raises Refused if no node can do them.
    """
    task = ray.remote(num_cpus=cores, max_retries=-1)(_process_all)
    archive_everywhere = ray.put(archive)
    excluded = Excluded()
    running: dict[Any, list[Call]] = {}
    again: list[list[Call]] = []
    while True:
        most = SPARE_TASKS * max(1, int(ray.cluster_resources().get("CPU", 1) / cores))
        while len(running) < most:
            batch = again.pop() if again else list(islice(calls, calls_a_task))
            if not batch:
                break
            running[task.options(**excluded.options()).remote(archive_everywhere, retries, batch)] = batch
        if not running:
            return
        for done in ray.wait(list(running), num_returns=1, timeout=10)[0]:
            batch, made = running.pop(done), ray.get(done)
            if isinstance(made, OtherNode):
                again.append(batch)
                excluded.add(made.node, made.reason)
            else:
                yield made


def _process_all(archive: Archive, retries: Retries, calls: list[Call]) -> list[dict[str, Any]] | OtherNode:
    meters = _Meters()
    rows = []
    for call in calls:
        begin = time.monotonic()
        try:
            row = process(archive, call, retries)
        except OtherProgram as error:
            return OtherNode(ray.get_runtime_context().get_node_id(), str(error))
        except Exception as error:
            # An error of one call must not end the others.
            row = failure(call, "failed", error)
        meters.count(row, time.monotonic() - begin)
        rows.append(row)
    return rows


class _Meters:
    """Ray's metrics of a worker, which every node offers to Prometheus under the prefix `ray_`."""

    def __init__(self) -> None:
        self._calls = metrics.Counter("flourish_calls", "Processed calls", tag_keys=("state",))
        self._failures = metrics.Counter("flourish_failures", "Calls that failed or were refused")
        self._seconds = metrics.Counter("flourish_seconds", "Time of workers in calls, in seconds")
        self._recorded = metrics.Counter(
            "flourish_recorded_seconds", "Length of the recordings that are done, in seconds"
        )

    def count(self, row: dict[str, Any], seconds: float) -> None:
        """Count a call."""
        self._calls.inc(1, tags={"state": row["state"]})
        self._seconds.inc(max(seconds, 1e-6))
        if row["state"] in ("failed", "refused"):
            self._failures.inc(1)
        if row["seconds"]:
            self._recorded.inc(row["seconds"])


def run(
    archive: Archive,
    calls: Iterator[Call],
    retries: Retries | None = None,
    cores: float = 1,
    calls_a_task: int = 8,
) -> Path:
    """Process calls, and return the table of results, which grows in `results.parts` until it is complete."""
    digests = settings.recorded_digests(archive)
    with tables.growing(archive.work) as table:

        def missing() -> Iterator[Call]:
            # To find finished calls takes less time here than to send them to a worker.
            for call in calls:
                if (row := find(archive, call, digests)) is not None:
                    table.add([row])
                else:
                    yield call

        for rows in results(missing(), archive, retries or Retries(), cores, calls_a_task):
            table.add(rows)
        return table.complete()


def main(words: list[str] | None = None) -> int:
    """Run the command; 0 is success, 65 where calls are damaged, 1 where calls failed, 69 a refusal."""
    given = _parser().parse_args(words)
    for name in ("source", "target", "work"):
        # Workers have other working folders.
        setattr(given, name, type(getattr(given, name))(os.path.abspath(getattr(given, name))))
    archive = arguments.archive(given, max(1, int(given.cores)))
    place = archive.work / "report.json"
    try:
        made = prepare(archive, tuple(given.endings.split(",")), refresh=True, confirmed=given.confirm_removal)
        place.unlink(missing_ok=True)
        tables.write_calls(archive.work, made.calls)
        ray.init(address=given.address, ignore_reinit_error=True, log_to_driver=False)
        calls = tables.read_calls(given.calls) if given.calls else iter(made.calls)
        table = run(archive, calls, cores=given.cores, calls_a_task=given.calls_a_task)
    except Refused as error:
        print(f"flourish-archive: {error}", file=sys.stderr)
        return REFUSED
    states: Counter[str] = Counter()
    for row in tables.read_rows(table):
        states[row["state"]] += 1
        if row["state"] != "done":
            said = row["message"] or "; ".join(row["warnings"])
            print(f"flourish-archive: {row['state']}: {row['path']}: {said}", file=sys.stderr)
    summary = report.write(archive, place)
    print(f"flourish-archive: {report.line(summary)}; see {place} and {table}", file=sys.stderr)
    if given.calls:
        # The report is of all calls, the exit status of these.
        summary = {**summary, "failed": states["failed"] + states["refused"], "unfinished": 0}
        summary |= {"doneWithWarnings": states["done with warnings"], "broken": states["broken"], "stale": 0}
    return report.exit_code(summary, tuple(given.accept))


def _parser() -> argparse.ArgumentParser:
    assert __doc__
    parser = argparse.ArgumentParser(prog="flourish-archive-on-ray", description=__doc__.splitlines()[0])
    arguments.add_archive(parser)
    arguments.add_inventory(parser)
    arguments.add_accepted(parser)
    parser.add_argument("--calls", type=Path, help="a table of some calls (default: all of the source's)")
    parser.add_argument("--cores", type=float, default=2, help="of a task (default: 2)")
    parser.add_argument("--calls-a-task", type=int, default=8, help="one after the other (default: 8)")
    parser.add_argument("--address", help="of a cluster (default: the one of RAY_ADDRESS, or this machine)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
