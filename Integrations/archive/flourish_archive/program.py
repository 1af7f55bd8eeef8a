"""The interface to the program `flourish`, with the meaning of its exit codes for an engine."""

import ctypes
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import Any


class Broken(Exception):
    """A permanent failure: the call is no readable video. It is reported, and the others continue."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """The configuration does not allow the job; a retry is useless."""


class OtherProgram(Refused):
    """This machine's program, or a file that it uses, differs from the archive's; another machine may do the job."""


class Retry(Exception):
    """A temporary failure: a full disk, a killed process, a file that was being written."""


REFUSED, TEMPORARY = 69, 75
"""The exit codes of a job that was refused, and of one that may be tried again."""

_BROKEN = {65, 66}
_REFUSED = {64, REFUSED}
_WARNING = "flourish: warning: "


def _die_with_parent() -> None:
    """Have the kernel end the program when its worker is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@dataclass(frozen=True)
class Program:
    """An installed `flourish`."""

    path: str = "flourish"
    cores: int | None = None
    """The number of cores that it uses; `None` for all that the machine or its container allows."""

    def identity(self) -> dict[str, Any]:
        """Return the output of `flourish --version --json`, which must be equal on all machines of an archive."""
        try:
            said = subprocess.run([self.path, "--version", "--json"], capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise OtherProgram(f"{self.path} does not run here: {error}") from error
        identity: dict[str, Any] = json.loads(said)
        return identity

    def run(self, arguments: list[bytes | str]) -> list[str]:
        """Run a command and return its warnings; raises Broken, Refused or Retry with its message."""
        environment = dict(os.environ)
        if self.cores is not None:
            environment["FLOURISH_CORES"] = str(self.cores)
        done = subprocess.run(
            [os.fsencode(part) for part in [self.path, *arguments]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=_die_with_parent,
        )
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        if done.returncode == 0:
            return [line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)]
        message = lines[-1] if lines else f"exit code {done.returncode}"
        if done.returncode in _BROKEN:
            raise Broken(done.returncode, message)
        if done.returncode in _REFUSED:
            raise Refused(message)
        raise Retry(message)
