"""The arguments that all commands of an archive have."""

import argparse
import os
import shlex
from pathlib import Path

from flourish_archive import report
from flourish_archive.archive import Archive
from flourish_archive.inventory import ENDINGS
from flourish_archive.program import Program


def add_archive(parser: argparse.ArgumentParser) -> None:
    """Add the folders, the program and its options."""
    parser.add_argument("--source", required=True, help="the folder with the calls")
    parser.add_argument("--target", required=True, help="the folder for the videos")
    parser.add_argument("--work", required=True, type=Path, help="the folder for records")
    parser.add_argument("--program", default="flourish", help="the program (default: flourish)")
    parser.add_argument("--plan-options", default="", help="of flourish plan, as in --plan-options='--hold 2'")
    parser.add_argument(
        "--render-options", default="", help="options of flourish filter, as in --render-options='--crf 20'"
    )
    parser.add_argument("--decode", action="store_true", help="check recordings and videos by decoding with FFmpeg")


def add_inventory(parser: argparse.ArgumentParser) -> None:
    """Add the options of the inventory."""
    parser.add_argument("--endings", default=",".join(ENDINGS), help="what the names of calls end in")
    parser.add_argument("--confirm-removal", action="store_true", help="accept that most calls are gone")


def add_accepted(parser: argparse.ArgumentParser, outcomes: tuple[str, ...] = report.TOLERABLE) -> None:
    """Add the outcomes that are no failure of the command."""
    parser.add_argument("--accept", action="append", default=[], choices=outcomes, help="an outcome that is no failure")


def archive(given: argparse.Namespace, cores: int | None) -> Archive:
    """Return the archive that the arguments describe."""
    return Archive(
        source=os.fsencode(given.source),
        target=os.fsencode(given.target),
        work=given.work,
        program=Program(given.program, cores),
        plan_options=tuple(shlex.split(given.plan_options)),
        render_options=tuple(shlex.split(given.render_options)),
        decode=given.decode,
    )
