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
    """This machine or configuration cannot run the job; a retry here is useless."""


class Retry(Exception):
    """A temporary failure: a full disk, a killed process, a file that was being written."""


_BROKEN = {65, 66}
_REFUSED = {64, 69}


def _die_with_parent() -> None:
    """Have the kernel end the program when its worker is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@dataclass(frozen=True)
class Program:
    """An installed `flourish`."""

    path: str = "flourish"

    def identity(self) -> dict[str, Any]:
        """Return the output of `flourish --version --json`, which must be equal on all machines of an archive."""
        try:
            said = subprocess.run([self.path, "--version", "--json"], capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise Refused(f"{self.path} does not run here: {error}") from error
        identity: dict[str, Any] = json.loads(said)
        return identity

    def demand(self, wanted: dict[str, Any]) -> None:
        """Refuse to run if this machine's program differs from `wanted`, the archive's."""
        here = self.identity()
        differing = sorted(key for key in wanted.keys() | here.keys() if wanted.get(key) != here.get(key))
        if differing:
            told = "; ".join(f"{key} is {here.get(key)}, and the archive's is {wanted.get(key)}" for key in differing)
            raise Refused(f"the program here is another one: {told}")

    def run(self, arguments: list[bytes | str]) -> None:
        """Run a command; raises Broken, Refused or Retry with its message."""
        done = subprocess.run(
            [os.fsencode(part) for part in [self.path, *arguments]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=_die_with_parent,
        )
        if done.returncode == 0:
            return
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        message = lines[-1] if lines else f"exit code {done.returncode}"
        if done.returncode in _BROKEN:
            raise Broken(done.returncode, message)
        if done.returncode in _REFUSED:
            raise Refused(message)
        raise Retry(message)
