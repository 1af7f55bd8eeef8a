#!/usr/bin/env python3
"""Records what runs of the program write, so that two versions can be compared byte by byte.

usage: runs.py PROGRAM RECORD              runs everything, and writes hashes to RECORD (JSON)
       runs.py PROGRAM RECORD --compare    runs everything, and lists the differences from RECORD; exits with 1 if any
       options: --inputs DIR (kept, default: a folder of the temporary files), --only TEXT, --jobs N

For each run: the exit code, the lines on both standard streams, and the hashes of all files written. Durations that the
machine determines are removed from events. Interrupted and live runs depend on the machine: of these, only the exit
code, the names of the files and the kinds of lines and events are compared.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CALL = {
    "width": 640, "height": 360, "rate": 25, "duration": 9,
    "cues": [
        {"time": 1.0, "pose": "thumbUp", "hands": "left", "hold": 1.7},
        {"time": 5.2, "pose": "victory", "hands": "both", "hold": 1.7},
    ],
}

# The inputs that FFmpeg derives from the drawn call, by name. `{call}` has sound and subtitles.
DERIVED = {
    "call.mp4": "-i {drawn} -f lavfi -i sine=440:d=9 -i {words} -map 0:v -map 1:a -map 2 -c:v libx264 -preset fast"
    " -g 50 -bf 2 -c:a aac -c:s mov_text -metadata title=Call -shortest",
    "call.mkv": "-i {call} -map 0 -c:v copy -c:a libopus -c:s srt",
    "call.mov": "-i {call} -map 0 -c copy -timecode 01:00:00:00",
    "call.ts": "-i {call} -map 0:v -map 0:a -c copy",
    "call.avi": "-i {call} -map 0:v -map 0:a -c:v mpeg4 -q:v 4 -c:a mp3",
    "call.webm": "-i {call} -map 0:v -map 0:a -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k -g 50 -c:a libopus",
    "hevc.mp4": "-i {call} -map 0:v -map 0:a -c:v libx265 -preset ultrafast -x265-params log-level=error:keyint=50 -c:a copy",
    "open.mp4": "-i {call} -map 0:v -map 0:a -c:v libx264 -preset fast -x264-params open-gop=1:keyint=50 -c:a copy",
    "sparse.mp4": "-i {call} -map 0:v -map 0:a -c:v libx264 -preset fast -g 1000 -c:a copy",
    "late.mp4": "-ss 1.3 -i {call} -map 0:v -map 0:a -c copy",
    "gallery.mp4": "-i {team} -t 9 -c copy",
    "still.jpg": "-ss 2 -i {call} -frames:v 1 -update 1",
}

# NAME: input, output, options; `{plan}` is the plan of call.mp4.
FILTERS = {
    "smart-mp4": "call.mp4 out.mp4",
    "smart-mkv": "call.mkv out.mkv",
    "smart-mov": "call.mov out.mov",
    "smart-ts": "call.ts out.ts",
    "smart-webm": "call.webm out.webm",
    "smart-hevc": "hevc.mp4 out.mp4",
    "smart-open-gop": "open.mp4 out.mkv",
    "smart-late-start": "late.mp4 out.mp4",
    "smart-one-entry": "sparse.mp4 out.mp4",
    "smart-remux": "call.mp4 out.mkv --chapters",
    "smart-avi": "call.avi out.avi",
    "whole-avi": "call.avi out.mp4",
    "whole-never": "call.mp4 out.mp4 --smart-render never",
    "whole-crf": "call.mp4 out.mp4 --crf 30",
    "whole-vp9": "call.mkv out.webm --codec vp9 --duration 3",
    "whole-portrait": "call.mp4 out.mp4 --portrait 0.5 --duration 4",
    "whole-effects-fps": "call.mp4 out.mp4 --effects-fps 12.5 --smart-render never",
    "whole-detail": "call.mp4 out.mp4 --effect-detail 0.4 --crf 28",
    "whole-ring": "call.mp4 out.mp4 --hold-ring output --preset ultrafast",
    "whole-metadata": "call.mp4 out.mp4 --embed-metadata --preset ultrafast",
    "smart-metadata": "call.mp4 out.mp4 --embed-metadata",
    "smart-effects-fps": "call.mp4 out.mp4 --effects-fps 12.5",
    "trim-smart": "call.mp4 out.mp4 --start 0.7 --duration 4.3",
    "trim-mkv": "call.mkv out.mkv --start 3.1",
    "trim-whole": "call.mp4 out.mp4 --start 0.7 --duration 4.3 --crf 28",
    "trim-ts": "call.ts out.ts --start 1.1 --end 6",
    "schedule": "call.mp4 out.mp4 --no-gestures --reaction confetti@1 --reaction heart@6,0.3,0.4",
    "schedule-and-gestures": "call.mkv out.mkv --reaction lasers@3.5",
    "schedule-refused": "call.mp4 out.mp4 --no-gestures --reaction confetti@70",
    "copy": "call.mp4 out.mp4 --no-gestures",
    "candidates": "call.mp4 out.mp4 --candidates --hold 1.5",
    "calm": "call.mp4 out.mp4 --calm --seed 7",
    "plan": "call.mp4 out.mp4 --plan {plan}",
    "plan-whole": "call.mp4 out.mkv --plan {plan} --crf 30",
    "plan-overlay": "call.mp4 out.mov --plan {plan} --overlay",
    "plan-photos": "call.mp4 out.mp4 --plan {plan} --photos photos",
    "plan-other": "call.mkv out.mkv --plan {plan}",
    "overlay-webm": "call.mp4 out.webm --overlay",
    "overlay-mkv": "call.mkv out.mkv --overlay --no-gestures --reaction confetti@1",
    "overlay-pictures": "call.mp4 p-%04d.png --overlay --duration 3",
    "sounds": "call.mp4 out.mp4 --sounds 0.8",
    "sounds-whole": "call.mkv out.mkv --sounds 0.8 --crf 30",
    "photos": "call.mp4 out.mp4 --photos photos",
    "photos-effects": "call.mp4 out.mp4 --photos photos --photo-with-effects --preset ultrafast",
    "gallery": "gallery.mp4 out.mp4",
    "gallery-fixed": "gallery.mp4 out.mp4 --layout 2x2 --preset ultrafast",
    "gallery-overlay": "gallery.mp4 out.mov --overlay",
    "pipe-in": "- out.mp4 < call.ts",
    "pipe-in-seekable": "- out.mkv < call.mp4",
    "pipe-out": "call.mp4 - --preset ultrafast",
    "pipe-overlay": "call.mp4 - --overlay --duration 3",
    "report": "call.mp4 out.mp4 --report report.json --sidecar cues.vtt",
    "exists": "call.mp4 still.jpg",
    "missing": "none.mp4 out.mp4",
    "cut": "cut.mp4 out.mp4",
    "damaged": "damaged.ts out.ts",
    "always-refused": "call.avi out.mp4 --smart-render always",
    "picture": "still.jpg out.mp4",
    "no-effect": "call.mp4 out.mp4 --reaction nothing@1",
    "loose-live": "call.mp4 out.mp4 --live --no-gestures --reaction confetti@1",
    "loose-stats": "call.mp4 out.mp4 --stats --no-gestures --reaction confetti@1 --preset ultrafast",
    "loose-bitrate": "call.mp4 out.mp4 --bitrate 400k --preset veryfast",
}

COMMANDS = {
    "detect": "detect call.mp4",
    "detect-mkv": "detect call.webm --candidates",
    "detect-trim": "detect call.mp4 --start 1 --duration 5",
    "detect-gallery": "detect gallery.mp4 --candidates",
    "detect-pipe": "detect - < call.ts",
    "make-plan": "plan call.mp4 -o made.json",
    "make-plan-gallery": "plan gallery.mp4 -o made.json",
    "inspect": "inspect call.mp4 --json",
    "inspect-picture": "inspect still.jpg --json",
    "folder": "filter call.mp4 call.mkv late.mp4 --output-dir done --jobs 1",
    "photo": "photo call.mp4 -o photo.jpg --at 2.2",
    "preview": "preview confetti preview.mp4",
    "explain": "filter call.mp4 out.mp4 --explain",
    "explain-whole": "filter call.mp4 out.mp4 --explain --crf 30",
    "explain-overlay": "filter call.mp4 out.mov --explain --overlay",
    "explain-live": "filter call.mp4 out.mp4 --explain --live",
    "explain-pipe": "filter - out.mp4 --explain < call.mp4",
}

# The seconds after which a run is interrupted, and its command.
INTERRUPTED = {
    "interrupted-analysis": (0.25, "filter call.mp4 out.mp4"),
    "interrupted-whole": (0.8, "filter call.mp4 out.mp4 --smart-render never --preset veryslow"),
}


def make_inputs(program: str, folder: Path) -> None:
    """Draws and derives the inputs that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"drawn": folder / "drawn.mp4", "call": folder / "call.mp4", "team": folder / "team.mp4",
             "words": folder / "words.srt"}
    team = Path(__file__).resolve().parents[2] / "Assets/Puppet/Galleries/team.json"
    (folder / "script.json").write_text(json.dumps(CALL))
    (folder / "words.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nHello\n\n2\n00:00:05,000 --> 00:00:07,000\nBye\n")
    for script, name in ((folder / "script.json", "drawn"), (team, "team")):
        if not paths[name].exists():
            subprocess.run([program, "puppet", script, paths[name], "--quiet"], check=True, stderr=subprocess.DEVNULL)
    for name, options in DERIVED.items():
        if not (folder / name).exists():
            arguments = options.format(**paths).split()
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments, "-fflags", "+bitexact",
                            folder / name], check=True)
    data = paths["call"].read_bytes()
    (folder / "cut.mp4").write_bytes(data[: len(data) // 2])
    data = bytearray((folder / "call.ts").read_bytes())
    for place in range(len(data) // 3, len(data) // 3 + 6000, 7):
        data[place] ^= 0x5A
    (folder / "damaged.ts").write_bytes(data)
    if not (folder / "plan.json").exists():
        subprocess.run([program, "plan", "call.mp4", "-o", "plan.json", "--quiet"], cwd=folder, check=True)


def without_durations(text: str) -> str:
    """Returns lines of JSON or text without the figures that the machine determines."""
    return re.sub(r'"timing":\{[^}]*\}', '"timing":{}', text)


def kinds(text: str) -> list[str]:
    """Returns the kinds of events and lines, once each."""
    found = set()
    for line in text.splitlines():
        event = re.search(r'"event":"(\w+)"', line)
        found.add(event[1] if event else " ".join(re.sub(r"[\d.,:%]+|\b[kM]B\b", "#", line).split()))
    return sorted(found)


def run(program: str, inputs: Path, name: str, command: str, stop: float | None) -> dict:
    """Runs one command in a folder of its own, and returns what it wrote."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file in inputs.iterdir():
            if file.name not in ("drawn.mp4", "team.mp4"):
                os.symlink(file, folder / file.name)
        command, _, source = command.partition(" < ")
        environment = {**os.environ, "XDG_CONFIG_HOME": scratch}
        with open(folder / source if source else os.devnull, "rb") as standard_input:
            process = subprocess.Popen([program, *command.split()], cwd=folder, stdin=standard_input,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
            if stop is not None:
                time.sleep(stop)
                process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=300)
        is_loose = stop is not None or name.startswith("loose")
        files = {}
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or path.is_dir() or path.name == "journal.jsonl":
                continue
            place = str(path.relative_to(folder))
            data = path.read_bytes()
            if path.suffix in (".json", ".jsonl"):
                data = without_durations(data.decode()).encode()
            if is_loose:
                files[place] = kinds(data.decode()) if path.suffix == ".jsonl" else ""
            else:
                files[place] = hashlib.sha256(data).hexdigest()[:16]
        lines = errors.decode(errors="replace").replace(scratch, "FOLDER")
        lines = [line for line in re.split(r"[\r\n]+", lines) if line and "%" not in line]
        result = {"exit": process.returncode, "files": files}
        if is_loose:
            return {**result, "errors": [] if stop is not None else kinds("\n".join(lines))}
        text = output.decode(errors="replace") if b"\0" not in output[:4096] else ""
        result["output"] = hashlib.sha256(without_durations(text).encode() if text else output).hexdigest()[:16]
        return {**result, "errors": [re.sub(r"; \d+:\d\d$", "", line) for line in lines]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("record")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--inputs", default=os.path.join(tempfile.gettempdir(), "flourish-runs"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    program, inputs = str(Path(options.program).resolve()), Path(options.inputs)
    make_inputs(program, inputs)
    commands = {name: (f"filter --events events.jsonl --progress none {text.format(plan='plan.json')}", None)
                for name, text in FILTERS.items()}
    commands |= {name: (text, None) for name, text in COMMANDS.items()}
    commands |= {name: (text, stop) for name, (stop, text) in INTERRUPTED.items()}
    commands = {name: value for name, value in commands.items() if options.only in name}
    with ThreadPoolExecutor(options.jobs) as pool:
        futures = {name: pool.submit(run, program, inputs, name, *value) for name, value in commands.items()}
        found = {name: future.result() for name, future in futures.items()}
    if not options.compare:
        Path(options.record).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{len(found)} runs")
        return 0
    known = json.loads(Path(options.record).read_text())
    differing = [name for name in found if found[name] != known.get(name)]
    for name in differing:
        for key in ("exit", "errors", "output", "files"):
            before, after = known.get(name, {}).get(key), found[name].get(key)
            if before != after:
                print(f"{name}: {key}: {before} -> {after}")
    print(f"{len(found)} runs, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
