"""Runs the program `flourish` over archives of recorded calls.

Each call of an archive is planned, rendered and checked by functions that are idempotent and may run anywhere:
their output appears by one rename, and a second run gives the same result. An engine such as Snakemake only
decides where and when.
"""

from flourish_archive.archive import Archive
from flourish_archive.inventory import Call, Inventory
from flourish_archive.jobs import check, plan, render
from flourish_archive.prepare import prepare
from flourish_archive.program import Broken, OtherProgram, Program, Refused, Retry

__all__ = [
    "Archive",
    "Broken",
    "Call",
    "Inventory",
    "OtherProgram",
    "Program",
    "Refused",
    "Retry",
    "check",
    "plan",
    "prepare",
    "render",
]
