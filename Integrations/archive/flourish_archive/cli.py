"""`flourish-archive`: the jobs of one call as commands, for engines that run commands."""

import argparse
import os
import shlex
import shutil
import sys
from pathlib import Path

from flourish_archive import jobs
from flourish_archive.files import write_json
from flourish_archive.inventory import ENDINGS, Inventory
from flourish_archive.program import Program, Refused, Retry


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 is success, 69 a refusal, 75 a temporary failure."""
    parser = argparse.ArgumentParser(prog="flourish-archive", description=__doc__)
    parser.add_argument("--source", required=True, help="the folder with the calls")
    parser.add_argument("--target", required=True, help="the folder for the videos")
    parser.add_argument("--work", required=True, type=Path, help="the folder for records")
    parser.add_argument("--program", default="flourish", help="the program (default: flourish)")
    parser.add_argument("--plan-options", default="", help="options of flourish plan, in one argument")
    parser.add_argument("--render-options", default="", help="options of flourish filter, in one argument")
    commands = parser.add_subparsers(dest="command", required=True)
    inventory = commands.add_parser("inventory", help="record which calls there are")
    inventory.add_argument("--endings", default=",".join(ENDINGS))
    commands.add_parser("identity", help="record the program that all workers must have")
    for name in ("plan", "render", "check"):
        command = commands.add_parser(name)
        command.add_argument("id")
        command.add_argument("--to", required=True, type=Path, help="the record that is written")
        if name != "plan":
            command.add_argument("--by", required=True, type=Path, help="the record that it goes by")
        if name == "check":
            command.add_argument("--decode", action="store_true", help="have FFmpeg decode the video")
    told = commands.add_parser("report", help="sum up the checked results")
    told.add_argument("--to", required=True, type=Path)
    given = parser.parse_args(arguments)

    archive = jobs.Archive(
        source=os.fsencode(given.source),
        target=os.fsencode(given.target),
        work=given.work,
        program=Program(given.program),
        plan_options=tuple(shlex.split(given.plan_options)),
        render_options=tuple(shlex.split(given.render_options)),
    )
    try:
        return _run(archive, given)
    except Refused as error:
        print(f"flourish-archive: {error}", file=sys.stderr)
        return 69
    except (Retry, OSError) as error:
        print(f"flourish-archive: {error}", file=sys.stderr)
        return 75


def _run(archive: jobs.Archive, given: argparse.Namespace) -> int:
    records = Inventory(archive.work)
    match given.command:
        case "inventory":
            found = records.take(archive.source, tuple(given.endings.split(",")))
            print(f"flourish-archive: {len(found)} calls in {given.source}", file=sys.stderr)
        case "identity":
            write_json(archive.identity(), archive.program.identity())
        case "plan":
            jobs.plan(archive, records.call(given.id), given.to)
        case "render":
            jobs.render(archive, records.call(given.id), given.by, given.to)
        case "check":
            jobs.check(archive, records.call(given.id), given.by, given.to, given.decode)
        case "report":
            # The files of killed workers; all workers have ended.
            for place in (archive.work / "scratch", Path(os.fsdecode(archive.target)) / ".flourish"):
                shutil.rmtree(place, ignore_errors=True)
            checked = [archive.work / "checked" / f"{call.id}.json" for call in records.calls()]
            summary = jobs.report([path for path in checked if path.exists()], given.to)
            print(f"flourish-archive: {summary['done']} of {summary['calls']} calls done", file=sys.stderr)
            for broken in summary["broken"]:
                print(f"flourish-archive: broken: {broken['path']}: {broken['message']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
