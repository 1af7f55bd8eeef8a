"""An archive on a Ray cluster: a table of calls goes in, a table of results comes out.

    python -m flourish_archive.on_ray --source /srv/calls --target /srv/reacted --work records

Every worker needs the program and this package, and sees the three folders at the same paths. Tasks that are
restarted, or run twice by Ray, skip finished jobs and leave the same files.
"""

import argparse
import os
import shlex
import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import ray
import ray.data

from flourish_archive import jobs
from flourish_archive.files import write_json
from flourish_archive.inventory import ENDINGS, Call, Inventory
from flourish_archive.program import Program, Refused
from flourish_archive.rows import Walk, failure, go_through

CALLS = pa.schema([("id", pa.string()), ("path", pa.string()), ("size", pa.int64()), ("changed", pa.int64())])
"""The columns of a table of calls; the path is percent-encoded, and below the archive's folder."""

RESULTS = pa.schema(
    [
        ("id", pa.string()),
        ("path", pa.string()),
        ("state", pa.string()),
        ("fingerprint", pa.string()),
        ("seconds", pa.float64()),
        ("bytes", pa.int64()),
        ("sha256", pa.string()),
        ("reactions", pa.list_(pa.string())),
        ("times", pa.list_(pa.float64())),
        ("code", pa.int64()),
        ("message", pa.string()),
    ]
)
"""The columns of a table of results. `state` is done, broken, failed or refused."""


def take_calls(work: Path, source: bytes, endings: tuple[str, ...] = ENDINGS) -> Path:
    """Write the table of calls of an archive, in Parquet, and return its path."""
    calls = [call.record() for call in Inventory(work).take(source, endings)]
    path = work / "calls.parquet"
    new = work / f".calls.{uuid.uuid4().hex}.parquet"
    parquet.write_table(pa.Table.from_pylist(calls, schema=CALLS), new)
    os.replace(new, path)
    return path


def read_calls(path: Path) -> "ray.data.Dataset":
    """Read a table of calls, in Parquet or as lines of JSON."""
    if path.suffix in (".jsonl", ".json"):
        return ray.data.read_json(str(path), file_extensions=None)
    return ray.data.read_parquet(str(path))


def results(calls: "ray.data.Dataset", walk: Walk, cores: float = 1, calls_a_task: int = 8) -> "ray.data.Dataset":
    """Process all `calls`; each task uses `cores`, and processes some calls in sequence.

    A task whose worker is killed is restarted by Ray, and continues with the missing ones.
    """
    count = max(1, -(-calls.count() // calls_a_task))

    def go_through_all(batch: pa.Table) -> pa.Table:
        rows = [_go_through(walk, record) for record in batch.select(CALLS.names).to_pylist()]
        return pa.Table.from_pylist(rows, schema=RESULTS)

    return calls.repartition(count).map_batches(
        go_through_all, batch_format="pyarrow", batch_size=None, num_cpus=cores, max_retries=-1
    )


def _go_through(walk: Walk, record: dict[str, Any]) -> dict[str, Any]:
    call = Call.from_record(record)
    try:
        return go_through(walk, call)
    except Exception as error:
        # An error of one call must not end the others.
        return failure(call, "failed", error)


def write_results(made: "ray.data.Dataset", path: Path) -> None:
    """Write a table of results to a Parquet file, by one rename when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with parquet.ParquetWriter(new, RESULTS) as writer:
            for batch in made.iter_batches(batch_format="pyarrow", batch_size=None):
                writer.write_table(batch.select(RESULTS.names).cast(RESULTS))
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def read_results(path: Path) -> pa.Table:
    """Read a table of results, in the order of paths."""
    return parquet.read_table(path).sort_by("path")


def calls_with(path: Path, reaction: str) -> list[tuple[str, list[float]]]:
    """Return the calls with a reaction, such as `confetti`: their paths, and the times in seconds."""
    found = []
    for row in read_results(path).select(["path", "reactions", "times"]).to_pylist():
        times = [time for kind, time in zip(row["reactions"], row["times"], strict=True) if kind == reaction]
        if times:
            found.append((row["path"], times))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 is success, 1 where calls failed, 69 a refusal."""
    assert __doc__
    parser = argparse.ArgumentParser(prog="flourish-archive-on-ray", description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, help="the folder with the calls")
    parser.add_argument("--target", required=True, help="the folder for the videos")
    parser.add_argument("--work", required=True, type=Path, help="the folder for records and tables")
    parser.add_argument("--calls", type=Path, help="a table of calls (default: all of the source's, looked for now)")
    parser.add_argument("--program", default="flourish", help="the program (default: flourish)")
    parser.add_argument("--plan-options", default="", help="options of flourish plan, in one argument")
    parser.add_argument("--render-options", default="", help="options of flourish filter, in one argument")
    parser.add_argument("--endings", default=",".join(ENDINGS), help="what the names of calls end in")
    parser.add_argument("--share-megabytes", help=argparse.SUPPRESS)
    parser.add_argument("--decode", action="store_true", help="have FFmpeg decode each video once more")
    parser.add_argument("--cores", type=float, default=2, help="of a task (default: 2)")
    parser.add_argument("--calls-a-task", type=int, default=8, help="one after the other (default: 8)")
    parser.add_argument("--address", help="of a cluster (default: the one of RAY_ADDRESS, or this machine)")
    given = parser.parse_args(arguments)
    if given.share_megabytes is not None:
        parser.error("--share-megabytes was removed in 0.2.0: each call is one task; leave it out")

    archive = jobs.Archive(
        source=os.fsencode(os.path.abspath(given.source)),
        target=os.fsencode(os.path.abspath(given.target)),
        work=given.work.absolute(),
        program=Program(given.program),
        plan_options=tuple(shlex.split(given.plan_options)),
        render_options=tuple(shlex.split(given.render_options)),
    )
    walk = Walk(archive, decode=given.decode)
    try:
        write_json(archive.identity(), archive.program.identity())
    except Refused as error:
        print(f"flourish-archive: {error}", file=sys.stderr)
        return 69
    table = given.calls or take_calls(archive.work, archive.source, tuple(given.endings.split(",")))
    ray.init(address=given.address, ignore_reinit_error=True, log_to_driver=False)
    place = archive.work / "results.parquet"
    write_results(results(read_calls(table), walk, given.cores, given.calls_a_task), place)

    rows = read_results(place).select(["path", "state", "message"]).to_pylist()
    states = Counter(row["state"] for row in rows)
    print(f"flourish-archive: {states['done']} of {len(rows)} calls done → {place}", file=sys.stderr)
    for row in rows:
        if row["state"] != "done":
            print(f"flourish-archive: {row['state']}: {row['path']}: {row['message']}", file=sys.stderr)
    return 0 if states["done"] + states["broken"] == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
