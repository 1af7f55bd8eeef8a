"""Tables in Parquet: calls, and results that grow while a run goes on."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from flourish_archive.files import replacement
from flourish_archive.inventory import Call
from flourish_archive.scratch import locked_folder, sweep

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
        ("warnings", pa.list_(pa.string())),
    ]
)
"""The columns of a table of results. `state` is done, done with warnings, broken, failed or refused."""

PART_SECONDS = 10.0
"""The time after which finished calls become a part of the table."""


def write_calls(work: Path, calls: list[Call]) -> Path:
    """Write the table of calls of an archive, and return its path."""
    return _write(pa.Table.from_pylist([call.record() for call in calls], schema=CALLS), work / "calls.parquet")


def read_calls(path: Path) -> Iterator[Call]:
    """Read a table of calls, in Parquet or as lines of JSON, bit by bit; further columns are ignored."""
    if path.suffix in (".jsonl", ".json"):
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield Call.from_record(json.loads(line))
    else:
        for batch in parquet.ParquetFile(path).iter_batches(columns=CALLS.names):
            yield from map(Call.from_record, batch.to_pylist())


@dataclass
class GrowingTable:
    """A table of results of a run that goes on: a folder of parts, each of which appears by one rename."""

    work: Path
    folder: Path
    rows: list[dict[str, Any]]
    parts: int = 0
    written: float = 0

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Append rows; they become visible as a part after a while."""
        self.rows += rows
        if time.monotonic() - self.written > PART_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait as a part."""
        self.written = time.monotonic()
        if self.rows:
            self.parts += 1
            table = pa.Table.from_pylist(self.rows, schema=RESULTS)
            _write(table, self.folder / f"part-{self.parts:06d}.parquet")
            self.rows = []

    def complete(self) -> Path:
        """Join the parts to `results.parquet`, by one rename, and return its path."""
        self.flush()
        path = self.work / "results.parquet"
        with replacement(path) as new, parquet.ParquetWriter(new, RESULTS) as writer:
            for part in sorted(self.folder.glob("part-*.parquet")):
                writer.write_table(parquet.read_table(part, schema=RESULTS))
        return path


@contextmanager
def growing(work: Path) -> Iterator[GrowingTable]:
    """Provide a table that grows in `results.parts`; parts of killed runs, and an older table, are removed.

    After an error the parts stay until the next run.
    """
    place = work / "results.parts"
    sweep(place)
    folder, lock = locked_folder(place, time.strftime("run-%Y%m%dT%H%M%SZ-", time.gmtime()))
    # An older table must not stand for a run that fails.
    (work / "results.parquet").unlink(missing_ok=True)
    table = GrowingTable(work, folder, [], written=time.monotonic())
    try:
        yield table
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        with suppress(OSError):
            place.rmdir()
    finally:
        with suppress(OSError):
            table.flush()
        os.close(lock)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Return the rows of a table of results, bit by bit."""
    for batch in parquet.ParquetFile(path).iter_batches(batch_size=1000):
        yield from batch.to_pylist()


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


def _write(table: pa.Table, path: Path) -> Path:
    with replacement(path) as new:
        parquet.write_table(table, new)
    return path
