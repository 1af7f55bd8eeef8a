"""Atomic writing of files."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any, sort: bool = True) -> None:
    """Write `value` to `path` by one rename, atomically for readers; `sort` orders the fields by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, sort_keys=sort, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> Any:
    """Read a file of `write_json`."""
    return json.loads(path.read_text(encoding="utf-8"))
