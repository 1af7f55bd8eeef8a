"""The folders, program and options of an archive, and the places of its records."""

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flourish_archive.inventory import Call
from flourish_archive.program import Program


@dataclass(frozen=True)
class Archive:
    """The sources, targets and options of an archive."""

    source: bytes
    """The folder with the calls; nothing is ever written there."""
    target: bytes
    """The folder for the videos, with the structure of the calls."""
    work: Path
    """The folder for records, shared by all workers. Each workflow has its own."""
    program: Program
    plan_options: tuple[str, ...] = ()
    """Options of `flourish plan`."""
    render_options: tuple[str, ...] = ()
    """Options of `flourish filter`."""
    decode: bool = False
    """True to decode each recording and each video with FFmpeg."""

    def record(self, kind: str, call: Call) -> Path:
        """Return the path of a record of a call: of `plans`, `results`, `checked`, `failed`, `videos`."""
        return self.work / kind / f"{call.id}.json"

    def settings_record(self, step: str) -> Path:
        """Return the record of the settings that all workers must have."""
        return self.work / "settings" / f"{step}.json"

    def reviewed(self, call: Call) -> Path:
        """Return the path of a plan that a person accepted, beside the records."""
        return self.work.parent / "reviewed" / f"{call.id}.json"

    def video(self, call: Call) -> bytes:
        """Return the path of the video that a call becomes."""
        return os.path.join(self.target, call.path)

    def plan_scratch(self) -> Path:
        """Return the folder for temporary files of planning."""
        return self.work / "scratch"

    def video_scratch(self) -> Path:
        """Return the folder for unfinished videos.

        It is beside the videos, since a rename stays within one file system; hidden, so that its files are not
        mistaken for videos; and this workflow's own: a target may belong to several, and to `filter --output-dir`.
        """
        return Path(os.fsdecode(self.target), ".flourish-archive", self._key())

    def _key(self) -> str:
        """Return the random name of this workflow, which its first process makes."""
        path = self.work / "workflow-id"
        with suppress(FileNotFoundError):
            return path.read_text(encoding="ascii").strip()
        self.work.mkdir(parents=True, exist_ok=True)
        new = self.work / f".workflow-id.{uuid.uuid4().hex}"
        new.write_text(uuid.uuid4().hex[:12] + "\n", encoding="ascii")
        try:
            # The first of several processes determines it.
            with suppress(FileExistsError):
                os.link(new, path)
        except OSError:
            # A file system without hard links.
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        return path.read_text(encoding="ascii").strip()
