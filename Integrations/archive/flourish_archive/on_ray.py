"""An archive on a Ray cluster: a table of calls goes in, a table of results comes out.

    python -m flourish_archive.on_ray --source /srv/calls --target /srv/reacted --work /srv/records

Every worker needs the program and this package, and sees the three folders at the same paths. Tasks that are
restarted, or run twice by Ray, skip finished jobs and leave the same files.
"""

import argparse
import os
import shlex
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

from flourish_archive import report, tables
from flourish_archive.archive import Archive
from flourish_archive.inventory import ENDINGS, Call
from flourish_archive.prepare import prepare
from flourish_archive.program import OtherProgram, Program, Refused
from flourish_archive.rows import Walk, failure, go_through

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
    calls: Iterator[Call], walk: Walk, cores: float = 1, calls_a_task: int = 8
) -> Iterator[list[dict[str, Any]]]:
    """Process `calls` and return their rows as tasks finish; each task uses `cores`, and processes some in sequence.

    A task whose worker is killed is restarted by Ray, and continues with the missing ones. The number of tasks that
    wait is bounded, so that memory does not grow with the number of calls. Raises Refused if no node can do them.
    """
    task = ray.remote(num_cpus=cores, max_retries=-1)(_go_through_all)
    walked = ray.put(walk)
    excluded = Excluded()
    running: dict[Any, list[Call]] = {}
    again: list[list[Call]] = []
    while True:
        most = SPARE_TASKS * max(1, int(ray.cluster_resources().get("CPU", 1) / cores))
        while len(running) < most:
            batch = again.pop() if again else list(islice(calls, calls_a_task))
            if not batch:
                break
            running[task.options(**excluded.options()).remote(walked, batch)] = batch
        if not running:
            return
        for done in ray.wait(list(running), num_returns=1, timeout=10)[0]:
            batch, made = running.pop(done), ray.get(done)
            if isinstance(made, OtherNode):
                again.append(batch)
                excluded.add(made.node, made.reason)
            else:
                yield made


def _go_through_all(walk: Walk, calls: list[Call]) -> list[dict[str, Any]] | OtherNode:
    meters = _Meters()
    rows = []
    for call in calls:
        begin = time.monotonic()
        try:
            row = go_through(walk, call)
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


def run(walk: Walk, calls: Iterator[Call], cores: float = 1, calls_a_task: int = 8) -> Path:
    """Process calls, and return the table of results, which grows in `results.parts` until it is complete."""
    with tables.growing(walk.archive.work) as table:
        for rows in results(calls, walk, cores, calls_a_task):
            table.add(rows)
        return table.complete()


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 is success, 65 where calls are damaged, 1 where calls failed, 69 a refusal."""
    given = _parser().parse_args(arguments)
    archive = Archive(
        source=os.fsencode(os.path.abspath(given.source)),
        target=os.fsencode(os.path.abspath(given.target)),
        work=given.work.absolute(),
        program=Program(given.program, max(1, int(given.cores))),
        plan_options=tuple(shlex.split(given.plan_options)),
        render_options=tuple(shlex.split(given.render_options)),
        decode=given.decode,
    )
    place = archive.work / "report.json"
    try:
        made = prepare(archive, tuple(given.endings.split(",")), refresh=True, confirmed=given.confirm_removal)
        place.unlink(missing_ok=True)
        tables.write_calls(archive.work, made.calls)
        ray.init(address=given.address, ignore_reinit_error=True, log_to_driver=False)
        calls = tables.read_calls(given.calls) if given.calls else iter(made.calls)
        table = run(Walk(archive), calls, given.cores, given.calls_a_task)
    except Refused as error:
        print(f"flourish-archive: {error}", file=sys.stderr)
        return 69
    states: Counter[str] = Counter()
    for row in tables.read_rows(table):
        states[row["state"]] += 1
        if row["state"] != "done":
            said = row["message"] or "; ".join(row["warnings"])
            print(f"flourish-archive: {row['state']}: {row['path']}: {said}", file=sys.stderr)
    summary = report.write(archive, place)
    print(f"flourish-archive: {report.told(summary)}; see {place} and {table}", file=sys.stderr)
    if given.calls:
        # The report is of all calls, the exit status of these.
        summary = {**summary, "failed": states["failed"] + states["refused"], "unfinished": 0}
        summary |= {"doneWithWarnings": states["done with warnings"], "broken": states["broken"], "stale": 0}
    return report.exit_code(summary, tuple(given.accept))


def _parser() -> argparse.ArgumentParser:
    assert __doc__
    parser = argparse.ArgumentParser(prog="flourish-archive-on-ray", description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, help="the folder with the calls")
    parser.add_argument("--target", required=True, help="the folder for the videos")
    parser.add_argument("--work", required=True, type=Path, help="the folder for records and tables")
    parser.add_argument("--calls", type=Path, help="a table of some calls (default: all of the source's)")
    parser.add_argument("--program", default="flourish", help="the program (default: flourish)")
    parser.add_argument("--plan-options", default="", help="options of flourish plan, in one argument")
    parser.add_argument("--render-options", default="", help="options of flourish filter, in one argument")
    parser.add_argument("--endings", default=",".join(ENDINGS), help="what the names of calls end in")
    parser.add_argument("--confirm-removal", action="store_true", help="accept that most calls are gone")
    parser.add_argument("--decode", action="store_true", help="check recordings and videos by decoding with FFmpeg")
    parser.add_argument(
        "--accept", action="append", default=[], choices=report.TOLERABLE, help="an outcome that is no failure"
    )
    parser.add_argument("--cores", type=float, default=2, help="of a task (default: 2)")
    parser.add_argument("--calls-a-task", type=int, default=8, help="one after the other (default: 8)")
    parser.add_argument("--address", help="of a cluster (default: the one of RAY_ADDRESS, or this machine)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
