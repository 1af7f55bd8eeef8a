"""`flourish-archive`: the jobs of one call as commands, for engines that run commands."""

import argparse
import os
import shlex
import sys
from pathlib import Path

from flourish_archive import jobs, report
from flourish_archive.archive import Archive
from flourish_archive.inventory import ENDINGS, Call, Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import Program, Refused, Retry

REFUSED, TEMPORARY = 69, 75


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 is success, 69 a refusal, 75 a temporary failure."""
    given = _parser().parse_args(arguments)
    archive = Archive(
        source=os.fsencode(given.source),
        target=os.fsencode(given.target),
        work=given.work,
        program=Program(given.program, given.cores),
        plan_options=tuple(shlex.split(given.plan_options)),
        render_options=tuple(shlex.split(given.render_options)),
        decode=given.decode,
    )
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
    parser.add_argument("--source", required=True, help="the folder with the calls")
    parser.add_argument("--target", required=True, help="the folder for the videos")
    parser.add_argument("--work", required=True, type=Path, help="the folder for records")
    parser.add_argument("--program", default="flourish", help="the program (default: flourish)")
    parser.add_argument("--cores", type=int, help="the cores that the program uses (default: all)")
    parser.add_argument("--plan-options", default="", help="options of flourish plan, in one argument")
    parser.add_argument("--render-options", default="", help="options of flourish filter, in one argument")
    parser.add_argument("--decode", action="store_true", help="check recordings and videos by decoding with FFmpeg")
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser(
        "start", help="record the calls, and the program and options that all workers must have"
    )
    start.add_argument("--endings", default=",".join(ENDINGS))
    start.add_argument("--confirm-removal", action="store_true", help="accept that most calls are gone")
    for name in ("plan", "render", "check"):
        command = commands.add_parser(name)
        command.add_argument("id")
        command.add_argument("--to", required=True, type=Path, help="the record that is written")
        command.add_argument("--attempt", type=int, default=1, help="the attempt; a second one skips what was refused")
        if name != "plan":
            command.add_argument("--by", required=True, type=Path, help="the record that it goes by")
    told = commands.add_parser("report", help="sum up the checked results")
    told.add_argument("--to", required=True, type=Path)
    told.add_argument("--gate", action="store_true", help="calls without a reviewed plan are no failures")
    told.add_argument(
        "--accept", action="append", default=[], choices=report.TOLERABLE, help="an outcome that is no failure"
    )
    return parser


def _start(archive: Archive, given: argparse.Namespace) -> int:
    made = prepare(archive, tuple(given.endings.split(",")), refresh=True, confirmed=given.confirm_removal)
    print(f"flourish-archive: {len(made.calls)} calls in {given.source}", file=sys.stderr)
    return 0


def _job(archive: Archive, given: argparse.Namespace) -> int:
    call = Inventory(archive.work).call(given.id)
    before = jobs.recorded_failure(archive, call)
    if given.attempt > 1 and before and (before["step"], before["code"]) == (given.command, REFUSED):
        # Engines repeat by number, not by exit code.
        print(f"flourish-archive: not tried again: {before['message']}", file=sys.stderr)
        return REFUSED
    if before:
        jobs.forget_failure(archive, call)
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
        jobs.record_failure(archive, call, step, code, str(error))
    except OSError as unwritten:
        print(f"flourish-archive: the failure cannot be recorded: {unwritten}", file=sys.stderr)
    return _say(f"{call.record()['path']}: {error}", code)


def _report(archive: Archive, given: argparse.Namespace) -> int:
    summary = report.write(archive, given.to, given.gate)
    _say(f"{report.told(summary)}; see {given.to}", 0)
    return report.exit_code(summary, tuple(given.accept))


def _say(message: object, code: int) -> int:
    print(f"flourish-archive: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
