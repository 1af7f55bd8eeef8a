"""Runs the program `flourish` over archives of recorded calls.

Each call of an archive is planned, rendered and checked by functions that are idempotent and may run anywhere:
their output appears by one rename, and a second run gives the same result. An engine such as Snakemake only
decides where and when.
"""

from flourish_archive.inventory import Call, Inventory
from flourish_archive.jobs import check, plan, render, report
from flourish_archive.program import Broken, Program, Refused, Retry

__all__ = ["Broken", "Call", "Inventory", "Program", "Refused", "Retry", "check", "plan", "render", "report"]
