"""The videos in the target's folder: placing, ownership, and decoding for a check."""

import errno
import hashlib
import os
import re
import subprocess
from pathlib import Path

from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Call
from flourish_archive.program import Refused, Retry


def place(archive: Archive, call: Call, made: Path, digest: str) -> None:
    """Move a video into its place, by one rename. It replaces only a video that this workflow wrote.

    The hash is recorded before the rename, so that a video without a result is recognised after a crash.
    """
    target, claim = archive.video(call), archive.record("videos", call)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        while True:
            here = sha256(target) if os.path.lexists(target) else None
            if here is not None and here != digest and here not in claimed(archive, call):
                raise Refused(
                    f"{call.path.decode(errors='replace')} exists in the target's folder already, and this workflow "
                    "did not write it; move it away, or choose another target"
                )
            write_json(claim, {"sha256": list(dict.fromkeys([here or digest, digest]))})
            if here is not None:
                os.replace(made, target)
                return
            try:
                # Unlike a rename, a link fails if another program made the file in between.
                os.link(made, target)
                return
            except FileExistsError:
                continue
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                    raise
                os.replace(made, target)
                return
    except OSError as error:
        raise Retry(f"the video cannot be put into its place: {error}") from error


def claimed(archive: Archive, call: Call) -> list[str]:
    """Return the hashes of the videos that this workflow may have put into the call's place."""
    try:
        return list(read_json(archive.record("videos", call))["sha256"])
    except (OSError, ValueError, KeyError):
        return []


def sha256(path: bytes) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decoding_error(path: bytes) -> str:
    """Return FFmpeg's first error when it decodes a video; an empty text for a valid one."""
    command: list[bytes | str] = [
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-xerror",
        "-i",
        os.path.abspath(path),
        "-f",
        "null",
        "-",
    ]
    done = subprocess.run([os.fsencode(part) for part in command], capture_output=True)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    # Addresses differ from run to run.
    said = re.sub(r"\[([^\]]*?) @ 0x[0-9a-f]+\]", r"[\1]", lines[0]) if lines else ""
    said = said.replace(os.fsdecode(os.path.abspath(path)), "it")
    return said or (f"exit code {done.returncode}" if done.returncode else "")
