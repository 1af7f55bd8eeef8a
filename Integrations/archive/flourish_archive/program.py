"""The program `flourish`: how it is called, and what its exit codes mean for an engine."""

import ctypes
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import Any


class Broken(Exception):
    """The call cannot be read as a video, now and later: it is reported, and the others go on."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """This machine or this configuration cannot do it; trying here again is of no use."""


class Retry(Exception):
    """It may go well another time: a full disk, a killed process, a file that was being written."""


_BROKEN = {65, 66}
_REFUSED = {64, 69}


def _die_with_parent() -> None:
    """Have the kernel end the program where the worker that called it is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@dataclass(frozen=True)
class Program:
    """An installed `flourish`."""

    path: str = "flourish"

    def identity(self) -> dict[str, Any]:
        """Return what `flourish --version --json` says; machines that share an archive must agree in it."""
        try:
            said = subprocess.run([self.path, "--version", "--json"], capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise Refused(f"{self.path} does not run here: {error}") from error
        identity: dict[str, Any] = json.loads(said)
        return identity

    def demand(self, wanted: dict[str, Any]) -> None:
        """Refuse to work where this machine's program is another one than `wanted`, the archive's."""
        here = self.identity()
        differing = sorted(key for key in wanted.keys() | here.keys() if wanted.get(key) != here.get(key))
        if differing:
            told = "; ".join(f"{key} is {here.get(key)}, and the archive's is {wanted.get(key)}" for key in differing)
            raise Refused(f"the program here is another one: {told}")

    def run(self, arguments: list[bytes | str]) -> None:
        """Run a command; raises Broken, Refused or Retry with what it said."""
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
