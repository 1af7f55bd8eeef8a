"""Recordings: filter, detect and plan."""

import os
import signal
import subprocess
import sys
import time

import pytest

import flourish


def test_detect_gives_events(call):
    events = list(flourish.detect(call))
    assert isinstance(events[0], flourish.StreamStarted) and isinstance(events[-1], flourish.StreamEnded)
    (gesture,) = [event for event in events if isinstance(event, flourish.Gesture)]
    assert gesture.gesture == "twoVictories"
    assert events[-1].effect_counts == {"confetti": 1}


def test_options_are_keyword_arguments(call):
    events = flourish.detect(call, disable=["victory", "twoVictories"], hold=0.7)
    assert not [event for event in events if isinstance(event, flourish.Gesture)]
    (started,) = [
        event
        for event in flourish.detect(call, no_gestures=True, reaction=["heart@3"])
        if isinstance(event, flourish.EffectStarted)
    ]
    assert started.reaction_type == "heart" and started.time == pytest.approx(3, abs=0.05)


def test_a_reader_may_stop(call):
    events = flourish.detect(call)
    next(events)
    events.close()
    assert not children()


def test_filter_writes_a_recording(call, tmp_path):
    output = tmp_path / "reacted.mp4"
    result = flourish.filter(call, output, events=tmp_path / "events.jsonl")
    assert result.output == os.fspath(output) and output.stat().st_size == result.bytes
    assert result.frames >= 150 and not result.interrupted
    assert [reaction["reactionType"] for reaction in result.reactions] == ["confetti"]
    assert list(flourish.read_events(tmp_path / "events.jsonl"))[-1].effect_counts == {"confetti": 1}
    with pytest.raises(flourish.FileUnavailable, match=r"reacted\.mp4"):
        flourish.filter(call, output)
    flourish.filter(call, output, overwrite=True)


def test_a_plan_is_edited_and_rendered(call, tmp_path):
    plan = flourish.plan(call)
    assert [reaction["reactionType"] for reaction in plan.reactions if reaction["enabled"]] == ["confetti"]
    plan.reactions[0]["enabled"] = False
    plan.reactions.append({"reactionType": "rain", "startTime": 1})
    plan.save(tmp_path / "call.plan.json")
    loaded = flourish.Plan.load(tmp_path / "call.plan.json")
    assert loaded == plan
    for each in (plan, tmp_path / "call.plan.json"):
        result = flourish.filter(call, tmp_path / "reacted.mp4", plan=each, overwrite=True)
        assert [reaction["reactionType"] for reaction in result.reactions] == ["rain"]


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (lambda call: flourish.filter("/nowhere.mp4", "/tmp/x.mp4"), flourish.FileUnavailable, "/nowhere.mp4"),
        (lambda call: list(flourish.detect("/nowhere.mp4")), flourish.FileUnavailable, "/nowhere.mp4"),
        (lambda call: flourish.plan("/nowhere.mp4"), flourish.FileUnavailable, "/nowhere.mp4"),
        (lambda call: list(flourish.detect(call, hold=60)), flourish.InvalidArgument, "hold"),
        (lambda call: list(flourish.detect(call, colour="red")), flourish.InvalidArgument, "colour"),
        (lambda call: list(flourish.detect("--help")), flourish.InvalidArgument, r"put \./"),
        (lambda call: list(flourish.detect(__file__)), flourish.FileUnusable, "test_recordings"),
        (lambda call: list(flourish.detect("a\0b")), flourish.Unavailable, "null"),
        (lambda call: flourish.filter(call, "/nowhere/x.mp4"), flourish.FileUnavailable, "/nowhere"),
        (lambda call: flourish.Plan.load(call), flourish.FileUnusable, "no plan"),
        (lambda call: flourish.Plan.load("/nowhere.json"), flourish.FileUnavailable, "/nowhere.json"),
        (lambda call: list(flourish.read_events("/nowhere.jsonl")), flourish.FileUnavailable, "/nowhere.jsonl"),
    ],
)
def test_failures_have_a_message(call, work, error, message):
    with pytest.raises(error, match=message):
        work(call)


def children():
    """The programs that this process has started and that still run."""
    found = subprocess.run(
        ["ps", "-o", "comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return [name for name in found.stdout.split() if name.startswith("flourish")]


PROGRAMS = {
    "filter": "flourish.filter(sys.argv[1], sys.argv[2], smart_render='never', preset='veryslow')",
    "detect": "[print(event, flush=True) for event in flourish.detect(sys.argv[1])]",
    "frames": """
import numpy as np
processor = flourish.Processor(1920, 1080, settings={"recognition": {"gestures": False}})
frame, index = np.zeros((1080, 1920, 3), np.uint8), 0
processor.perform("fireworks")
while True:
    processor.process(frame, index / 30)
    index += 1
    if index % 60 == 0: processor.perform("fireworks")
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_control_c_ends_a_program(name, call, tmp_path):
    """Ctrl-C raises KeyboardInterrupt, and no process is left."""
    source = tmp_path / "source.mp4"
    if name != "frames":
        # Long enough to be interrupted.
        flourish.filter(call, tmp_path / "plain.mp4", no_gestures=True)
        (tmp_path / "list.txt").write_text("file 'plain.mp4'\n" * 40)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "concat", "-i", "list.txt", "-c", "copy", source], check=True, cwd=tmp_path
        )
    program = f"""
import os, sys, subprocess, flourish
print("ready", flush=True)
try:
    {"exec(sys.argv[3])"}
except KeyboardInterrupt:
    left = subprocess.run(["ps", "-o", "comm=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    print("interrupted", "flourish" in left, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, source, tmp_path / "out.mp4", PROGRAMS[name]],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's job in the background ignores the signal, and what it starts inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "ready\n"
    # The output is begun once the recording was looked through.
    deadline = time.monotonic() + 20
    while name == "filter" and not list(tmp_path.glob(".out.mp4.partial-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)
    start = time.monotonic()
    # As of a terminal: to the group of the foreground.
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert output.endswith("interrupted False\n")
    assert time.monotonic() - start < 20
    if name == "filter":
        (part,) = tmp_path.glob("out.partial*.mp4")
        assert len([event for event in flourish.detect(part, no_gestures=True)]) > 0
