#!/usr/bin/env python3
"""Measures the overhead of an engine with an archive of tiny files and a program that does nothing.

    simulate.py run snakemake --calls 10000 --to snakemake.json
    simulate.py run ray --calls 10000 --to ray.json
    simulate.py restart --calls 100000 --to restart.json
    simulate.py draw snakemake.json ray.json --to simulation.svg

`run` makes an archive in a temporary folder, runs the engine on it on this machine, and records every two seconds
the number of finished calls and the memory of the engine's processes (PSS: shared memory counts once). At the end
it counts videos and records: none may be missing. `restart` measures the parts that depend on the size of an archive:
the inventory, the report, and the start of Snakemake and of Ray after a crash, when all but the last calls are done.
`draw` plots the recorded values.
"""

import argparse
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

INTEGRATIONS = Path(__file__).resolve().parents[2]
BATCH_SIZE = 1000

FAKE = """#!/bin/sh
if [ "$1" = --version ]; then
    echo '{"version": "1"}'
elif [ "$1" = plan ]; then
    echo '{"source": {"fingerprint": "f", "duration": 1}, "reactions": []}' >"$4"
else
    echo "$2" >"$3"
fi
"""


def make(folder: Path, calls: int, empty: bool = False) -> None:
    """Make an archive."""
    for number in range(calls):
        path = folder / f"calls/{number // 1000:03d}/{number:06d}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if empty else str(number))
    (folder / "reacted").mkdir()
    program = folder / "fake"
    program.write_text(FAKE)
    program.chmod(0o755)


def command(engine: str, folder: Path, calls: int, workers: int) -> list[str]:
    """Return the command that runs an engine on the archive in `folder`."""
    if engine == "ray":
        return [
            *(sys.executable, "-m", "flourish_archive.on_ray", "--source", "calls", "--target", "reacted"),
            *("--work", "records", "--program", str(folder / "fake"), "--cores", "1", "--calls-a-task", "50"),
        ]
    settings: dict[str, Any] = {"source": str(folder / "calls"), "target": str(folder / "reacted"), "threads": 1}
    settings |= {"program": str(folder / "fake"), "python": sys.executable, "batch_size": BATCH_SIZE}
    (folder / "archive.yaml").write_text(json.dumps(settings))
    starts = -(-calls // BATCH_SIZE)
    words = snakemake(workers)
    return words if starts == 1 else ["bash", "-c", f"for _ in $(seq {starts}); do {shlex.join(words)} || exit; done"]


def snakemake(workers: int) -> list[str]:
    """Return the command that starts Snakemake."""
    workflow = INTEGRATIONS / "snakemake"
    return [
        *("snakemake", "--snakefile", str(workflow / "workflow/Snakefile"), "--configfile", "archive.yaml"),
        *("--cores", str(workers), "--quiet"),
    ]


def measured(words: list[str], folder: Path) -> dict[str, float]:
    """Run a command; return its time and the most memory of one of its processes, in MB."""
    environment = {**os.environ, "PYTHONPATH": str(INTEGRATIONS / "archive")}
    begin = time.monotonic()
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return {
        "seconds": round(time.monotonic() - begin, 1),
        "core_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": round(usage.ru_maxrss / 1000),
        "code": code,
    }


def restart(calls: int, workers: int, unfinished: int = 20) -> dict[str, Any]:
    """Measure the parts that depend on an archive's size, before the first call and after a crash near the end."""
    sys.path.insert(0, str(INTEGRATIONS / "archive"))
    from flourish_archive import settings
    from flourish_archive.archive import Archive
    from flourish_archive.files import write_json
    from flourish_archive.inventory import Inventory
    from flourish_archive.program import Program

    folder = Path(tempfile.mkdtemp(prefix="flourish-simulation-"))
    try:
        make(folder, calls, empty=True)
        on_snakemake, on_ray = (command(engine, folder, 1, workers) for engine in ("snakemake", "ray"))
        common = [sys.executable, "-m", "flourish_archive.cli", "--source", str(folder / "calls")]
        common += ["--target", str(folder / "reacted"), "--work", "records", "--program", str(folder / "fake")]
        made: dict[str, Any] = {"calls": calls, "load": os.getloadavg()[0]}
        made["inventory"] = measured([*common, "start"], folder)
        made["second inventory"] = measured([*common, "start"], folder)
        made["first batch, without its calls"] = measured([*on_snakemake, "-n"], folder)
        archive = Archive(
            os.fsencode(folder / "calls"), os.fsencode(folder / "reacted"), folder / "records", Program("fake")
        )
        digests = settings.recorded_digests(archive)
        listed = list(Inventory(archive.work).calls())
        for call in listed[: len(listed) - unfinished]:
            about = {**call.record(), "settings": digests, "state": "done", "seconds": 1, "bytes": 1}
            about |= {"reactions": [], "warnings": [], "sha256": "0" * 64, "fingerprint": "f"}
            for kind in ("plans", "results", "checked"):
                write_json(archive.record(kind, call), about, durable=False)
            path = Path(os.fsdecode(archive.video(call)))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        made["load after a crash"] = os.getloadavg()[0]
        made["start"] = measured([*on_snakemake, "-n"], folder)
        made["start with the last calls"] = measured(on_snakemake, folder)
        made["report"] = measured([*common, "report", "--to", "records/report.json"], folder)
        if importlib.util.find_spec("ray"):
            for call in listed[len(listed) - unfinished :]:
                archive.record("checked", call).unlink()
            made["Ray with the last calls"] = measured(on_ray, folder)
        made["done"] = json.loads((folder / "records/report.json").read_text())["done"]
        made["log"] = (folder / "log").read_text(errors="replace")[-2000:]
        return made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def taken(root: int) -> tuple[int, float]:
    """Return the memory of a process and its descendants in bytes, and their core seconds so far."""
    fields: dict[int, list[str]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields[int(entry.name)] = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
    family, size = {root}, 0
    while size != len(family):
        size = len(family)
        family |= {process for process, values in fields.items() if int(values[1]) in family}
    # Their own time, and that of their ended children.
    ticks = sum(int(value) for process in family & fields.keys() for value in fields[process][11:15])
    total = 0
    for process in family:
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total * 1024, ticks / os.sysconf("SC_CLK_TCK")


def count(folder: Path) -> int:
    """Return the number of records below `folder`."""
    return sum(len(names) for _, _, names in os.walk(folder))


def run(engine: str, calls: int, workers: int, most_minutes: float) -> dict[str, Any]:
    """Run an engine on an archive, and return the recorded values."""
    folder = Path(tempfile.mkdtemp(prefix="flourish-simulation-"))
    try:
        make(folder, calls)
        environment = {**os.environ, "PYTHONPATH": str(INTEGRATIONS / "archive")}
        begin = time.monotonic()
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command(engine, folder, calls, workers),
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            samples, core_seconds = [], 0.0
            while process.poll() is None:
                done = count(folder / "records/checked")
                memory, seconds = taken(process.pid)
                samples.append((round(time.monotonic() - begin, 1), done, memory))
                core_seconds = max(core_seconds, seconds)
                time.sleep(2)
                if time.monotonic() - begin > 60 * most_minutes:
                    process.terminate()
        seconds = time.monotonic() - begin
        videos = sum(name.endswith(".mp4") for _, _, names in os.walk(folder / "reacted") for name in names)
        return {
            "engine": engine,
            "calls": calls,
            "workers": workers,
            "code": process.returncode,
            "seconds": round(seconds, 1),
            "core_seconds": round(core_seconds, 1),
            "checked": count(folder / "records/checked"),
            "videos": videos,
            "samples": samples,
            "log": (folder / "log").read_text(errors="replace")[-2000:],
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


COLOURS = {"snakemake": "#0a7d5a", "ray": "#2458b8"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 640, 180, 56, 28, 56


def draw(runs: list[dict[str, Any]]) -> str:
    """Return a plot of runs: finished calls, and memory, over time."""
    minutes = max(run["samples"][-1][0] for run in runs) / 60
    parts = []
    panels = (
        ("calls done", 1, max(run["calls"] for run in runs), 1.0),
        ("memory of the engine's processes, MB", 2, max(sample[2] for run in runs for sample in run["samples"]), 1e6),
    )
    for index, (title, column, most, unit) in enumerate(panels):
        top = TOP + index * (HEIGHT + GAP)
        most *= 1.05
        parts.append(f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{title}</text>')
        parts.append(f'<path d="M{LEFT} {top}v{HEIGHT}h{WIDTH}" fill="none" stroke="#888"/>')
        for share in (0.25, 0.5, 0.75, 1):
            y = top + HEIGHT * (1 - share / 1.05)
            value = most / 1.05 * share / unit
            parts.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
        for number in range(5):
            x = LEFT + WIDTH * number / 4
            label = f"{minutes * number / 4:.0f} min"
            parts.append(f'<text x="{x:.0f}" y="{top + HEIGHT + 16}" text-anchor="middle">{label}</text>')
        for run in runs:
            step = max(1, len(run["samples"]) // 150)
            samples = [*run["samples"][::step], run["samples"][-1]]
            points = " ".join(
                f"{LEFT + WIDTH * sample[0] / 60 / minutes:.1f},{top + HEIGHT * (1 - sample[column] / most):.1f}"
                for sample in samples
            )
            colour = COLOURS[run["engine"]]
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    for index, run in enumerate(runs):
        text = f"{run['engine']}: {run['checked']:,} of {run['calls']:,}"
        x = LEFT + WIDTH - 8
        y = TOP + HEIGHT - 14 - 18 * index
        parts.append(f'<text x="{x}" y="{y}" text-anchor="end" fill="{COLOURS[run["engine"]]}">{text}</text>')
    size = (LEFT + WIDTH + 24, TOP + 2 * HEIGHT + GAP + 28)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
        f'font-family="sans-serif" font-size="12" fill="#222">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("engine", choices=("snakemake", "ray"))
    running.add_argument("--calls", type=int, default=10_000)
    running.add_argument("--workers", type=int, default=2)
    running.add_argument("--most-minutes", type=float, default=120)
    restarting = commands.add_parser("restart")
    restarting.add_argument("--calls", type=int, default=100_000)
    restarting.add_argument("--workers", type=int, default=2)
    drawing = commands.add_parser("draw")
    drawing.add_argument("runs", nargs="+", type=Path)
    for command in (running, restarting, drawing):
        command.add_argument("--to", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "draw":
        given.to.write_text(draw([json.loads(path.read_text()) for path in given.runs]))
        return 0
    if given.command == "restart":
        measures = restart(given.calls, given.workers)
        given.to.write_text(json.dumps(measures, indent=2))
        print(json.dumps({key: value for key, value in measures.items() if key != "log"}, indent=2))
        return 0 if measures["done"] == given.calls else 1
    made = run(given.engine, given.calls, given.workers, given.most_minutes)
    given.to.write_text(json.dumps(made))
    lost = made["calls"] - min(made["checked"], made["videos"])
    overhead = made["core_seconds"] / max(made["checked"], 1)
    print(f"{made['engine']}: {made['seconds']} s, {overhead:.3f} core seconds a call, {lost} missing")
    return 0 if lost == 0 and made["code"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
