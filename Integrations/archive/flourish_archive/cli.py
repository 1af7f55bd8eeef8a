"""`flourish-archive`: the jobs of one call as commands, for engines that run commands."""

import argparse
import sys
from pathlib import Path

from flourish_archive import arguments, jobs, records, report
from flourish_archive.archive import Archive
from flourish_archive.inventory import Call, Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import REFUSED, TEMPORARY, Refused, Retry


def main(words: list[str] | None = None) -> int:
    """Run a command; 0 is success, 69 a refusal, 75 a temporary failure."""
    given = _parser().parse_args(words)
    archive = arguments.archive(given, given.cores)
    try:
        if given.command in ("plan", "render", "check"):
            return _job(archive, given)
        return _start(archive, given) if given.command == "start" else _report(archive, given)
    except Refused as error:
        return _say(error, REFUSED)
    except (Retry, OSError) as error:
        return _say(error, TEMPORARY)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="flourish-archive", description=__doc__)
    arguments.add_archive(parser)
    parser.add_argument("--cores", type=int, help="the cores that the program uses (default: all)")
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser(
        "start", help="record the calls, and the program and options that all workers must have"
    )
    arguments.add_inventory(start)
    for name in ("plan", "render", "check"):
        command = commands.add_parser(name)
        command.add_argument("id")
        command.add_argument("--to", required=True, type=Path, help="the record that is written")
        command.add_argument("--attempt", type=int, default=1, help="the attempt; a second one skips what was refused")
        if name != "plan":
            command.add_argument("--by", required=True, type=Path, help="the record that it goes by")
    summary = commands.add_parser("report", help="sum up the checked results")
    summary.add_argument("--to", required=True, type=Path)
    summary.add_argument("--gate", action="store_true", help="calls without a reviewed plan are no failures")
    arguments.add_accepted(summary, (*report.TOLERABLE, report.UNFINISHED))
    return parser


def _start(archive: Archive, given: argparse.Namespace) -> int:
    made = prepare(archive, tuple(given.endings.split(",")), refresh=True, confirmed=given.confirm_removal)
    print(f"flourish-archive: {len(made.calls)} calls in {given.source}", file=sys.stderr)
    return 0


def _job(archive: Archive, given: argparse.Namespace) -> int:
    call = Inventory(archive.work).call(given.id)
    before = records.recorded_failure(archive, call)
    if given.attempt > 1 and before and (before["step"], before["code"]) == (given.command, REFUSED):
        # Engines repeat by number, not by exit code.
        print(f"flourish-archive: not tried again: {before['message']}", file=sys.stderr)
        return REFUSED
    if before:
        records.forget_failure(archive, call)
    try:
        if given.command == "plan":
            jobs.plan(archive, call, given.to)
        elif given.command == "render":
            jobs.render(archive, call, given.by, given.to)
        else:
            jobs.check(archive, call, given.by, given.to)
    except Refused as error:
        return _failed(archive, call, given.command, error, REFUSED)
    except (Retry, OSError) as error:
        return _failed(archive, call, given.command, error, TEMPORARY)
    return 0


def _failed(archive: Archive, call: Call, step: str, error: Exception, code: int) -> int:
    try:
        records.record_failure(archive, call, step, code, str(error))
    except OSError as unwritten:
        print(f"flourish-archive: the failure cannot be recorded: {unwritten}", file=sys.stderr)
    return _say(f"{call.record()['path']}: {error}", code)


def _report(archive: Archive, given: argparse.Namespace) -> int:
    summary = report.write(archive, given.to, given.gate)
    _say(f"{report.line(summary)}; see {given.to}", 0)
    return report.exit_code(summary, tuple(given.accept))


def _say(message: object, code: int) -> int:
    print(f"flourish-archive: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
