"""Temporary folders of attempts. The kernel releases the lock of one that a killed worker left behind.

A folder's name contains the call, the node, the process and random characters, so that attempts on several nodes and in
containers with equal process numbers never share one.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flourish_archive.inventory import Call
from flourish_archive.program import Retry

LOCK = ".lock"


@contextmanager
def scratch(place: Path, call: Call) -> Iterator[Path]:
    """Provide a temporary folder below `place` for one attempt at `call`."""
    prefix = f"{call.id.replace('/', '')}.{os.uname().nodename}.{os.getpid()}."
    try:
        folder, lock = locked_folder(place, prefix)
    except OSError as error:
        raise Retry(f"{place}: {error}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        _remove_if_empty(place)


def locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """Create a folder below `place` with a lock that this process holds; return it with the lock's descriptor."""
    while True:
        try:
            place.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except (FileNotFoundError, FileExistsError):
            if place.exists() and not place.is_dir():
                raise
            # Another process removed the empty folder.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_held = True
        except OSError as error:
            # On a file system without locks `sweep` keeps the folder; otherwise it is about to remove this one.
            is_held = error.errno not in (errno.EAGAIN, errno.EACCES)
        if is_held and (folder / LOCK).exists():
            return folder, lock
        os.close(lock)


def sweep(place: Path) -> int:
    """Remove the folders below `place` whose processes have ended; return their number.

    A folder whose lock is held, or cannot be tested, is kept. `place` belongs to one workflow.
    """
    removed = 0
    with suppress(FileNotFoundError):
        for folder in sorted(place.iterdir()):
            if not folder.is_dir() or folder.is_symlink():
                continue
            try:
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
            except OSError:
                continue
            finally:
                os.close(lock)
    _remove_if_empty(place)
    return removed


def _remove_if_empty(place: Path) -> None:
    """Remove `place` and its parent if nothing is in them."""
    with suppress(OSError):
        place.rmdir()
        if place.parent.name == ".flourish-archive":
            place.parent.rmdir()
