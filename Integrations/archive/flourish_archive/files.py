"""Atomic writing of files, under temporary names that do not collide between nodes."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Provide an empty file that replaces `path` by one rename when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp creates the file exclusively, on a shared file system as well.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    new = Path(name)
    try:
        yield new
        new.chmod(0o644)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextmanager
def replacing(path: Path, durable: bool = True) -> Iterator[IO[str]]:
    """Provide a text file that replaces `path` by one rename when the block ends without an error.

    Without `durable` the caller has to flush the file system before it relies on the file after a power failure.
    """
    with replacement(path) as new, new.open("w", encoding="utf-8") as file:
        yield file
        file.flush()
        if durable:
            os.fsync(file.fileno())


def write_json(path: Path, value: Any, sort: bool = True, durable: bool = True) -> None:
    """Write `value` to `path` by one rename, atomically for readers; `sort` orders the fields by name."""
    with replacing(path, durable) as file:
        json.dump(value, file, indent=2, sort_keys=sort, ensure_ascii=False)
        file.write("\n")


def read_json(path: Path) -> Any:
    """Read a file of `write_json`."""
    return json.loads(path.read_text(encoding="utf-8"))
