"""Tests of the element `flourish`, in GstHarness and in pipelines of gst-launch-1.0.

FLOURISH_LIBRARY_PREFIX is the prefix of the library (Scripts/library), and FLOURISH_PROGRAM the program that draws the test call.
"""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
REPOSITORY = FOLDER.parents[1]
PREFIX = Path(os.environ.get("FLOURISH_LIBRARY_PREFIX", REPOSITORY / ".build/library"))
PROGRAM = os.environ.get("FLOURISH_PROGRAM", os.fspath(REPOSITORY / ".build/release/flourish"))
CHECKS = ["formats", "caps", "flush", "segments", "times", "shared-buffers", "control", "errors", "threads"]
REACTIONS = ["thumbsUp", "thumbsDown", "balloons", "heart", "fireworks", "rain", "confetti", "lasers"]
# A frame of this rate takes whole nanoseconds: the parser adds up durations.
WIDTH, HEIGHT, RATE = 480, 270, 20
SCRIPT = {
    "width": WIDTH,
    "height": HEIGHT,
    "rate": RATE,
    "duration": 4,
    "cues": [{"time": 1, "pose": "victory", "hands": "both", "hold": 1.5, "expect": "confetti"}],
}


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="session")
def environment():
    flags = {"FLOURISH_CFLAGS": f"-I{PREFIX}/include", "FLOURISH_LIBS": f"-L{PREFIX}/lib -lflourish"}
    return {**os.environ, **flags, "VERSION": "0", "LC_ALL": "C"}


@pytest.fixture(scope="session")
def build(tmp_path_factory, environment):
    """The folder of the plug-in and its harness; sets the environment of GStreamer."""
    folder = tmp_path_factory.mktemp("build")
    run("make", "-C", os.fspath(FOLDER), f"BUILD={folder}", f"{folder}/libgstflourish.so", f"{folder}/harness", env=environment)
    environment.update(
        GST_PLUGIN_PATH=os.fspath(folder), GST_REGISTRY=os.fspath(folder / "registry"), G_DEBUG="fatal-criticals"
    )
    return folder


@pytest.fixture(scope="session")
def call(tmp_path_factory):
    """A drawn call as raw I420, in which both hands make the victory sign."""
    folder = tmp_path_factory.mktemp("call")
    (folder / "call.json").write_text(json.dumps(SCRIPT))
    run(PROGRAM, "puppet", "call.json", "call.mp4", "--progress", "none", cwd=folder)
    run("ffmpeg", "-v", "error", "-i", "call.mp4", "-f", "rawvideo", "-pix_fmt", "yuv420p", "call.yuv", cwd=folder)
    return folder / "call.yuv"


@pytest.fixture(scope="session")
def start_of_call(call):
    """The first two seconds of the call."""
    file = call.with_name("start.yuv")
    file.write_bytes(call.read_bytes()[: 2 * RATE * WIDTH * HEIGHT * 3 // 2])
    return file


@pytest.fixture(scope="session")
def library_filter(tmp_path_factory):
    """The example in C, which draws on raw video without GStreamer."""
    program = tmp_path_factory.mktemp("example") / "frame-filter-c"
    source = REPOSITORY / "docs/examples/frame-filter-c/main.c"
    run("cc", "-I", PREFIX / "include", source, "-o", program, "-L", PREFIX / "lib", "-lflourish", f"-Wl,-rpath,{PREFIX}/lib")
    return program


def pipeline(environment, call, output, properties):
    """Filters the call; returns the messages that gst-launch-1.0 prints."""
    return run(
        *("gst-launch-1.0", "-m", "filesrc", f"location={call}", "!", "rawvideoparse", "format=i420"),
        *(f"width={WIDTH}", f"height={HEIGHT}", f"framerate={RATE}/1", "colorimetry=bt601", "!", "flourish"),
        *(*properties, "!", "filesink", f"location={output}"),
        env=environment,
    )


def events(messages):
    """The names of the events in the messages, each with its reaction."""
    found = []
    for name, text in re.findall(r"flourish, event=\(string\)(\w+), json=\(string\)\"(.*)\";$", messages, re.M):
        event = json.loads(re.sub(r"\\(.)", r"\1", text))
        assert event["event"] == name
        found.append((name, event.get("reactionType")))
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_harness(build, environment, check):
    run(build / "harness", check, env=environment)


def test_all_checks_are_run(build):
    source = (FOLDER / "tests/harness.c").read_text()
    assert sorted(re.findall(r'\{"([a-z-]+)", check_', source)) == sorted(CHECKS)


def test_element_is_described(build, environment):
    description = run("gst-inspect-1.0", "flourish", env=environment)
    own = description[description.index("Element Properties") :]
    properties = set(re.findall(r"^  ([a-z-]+) +:", own, re.M)) - {"name", "parent", "qos"}
    page = (REPOSITORY / "docs/gstreamer.md").read_text()
    table = page[page.index("## Properties") : page.index("## Requests")]
    assert properties == set(re.findall(r"^\| `([a-z-]+)`", table, re.M))
    signals = set(re.findall(r'^  "([a-z-]+)" *:', own[own.index("Element Actions:") :], re.M))
    table = page[page.index("| signal |") :]
    assert signals == set(re.findall(r"^\| `([a-z-]+)\(", table, re.M))


@pytest.mark.parametrize("reaction", REACTIONS)
def test_reactions_are_those_of_the_library(build, environment, start_of_call, library_filter, tmp_path, reaction):
    messages = pipeline(environment, start_of_call, tmp_path / "drawn.yuv", [f"reaction={reaction}", "gestures=false"])
    settings = '{"recognition": {"gestures": false}, "processor": {"matrix": "bt601"}}'
    with open(start_of_call, "rb") as source:
        expected = subprocess.run(
            [library_filter, str(WIDTH), str(HEIGHT), str(RATE), settings, reaction],
            stdin=source, capture_output=True, check=True,
        ).stdout  # fmt: skip
    drawn = (tmp_path / "drawn.yuv").read_bytes()
    assert drawn != start_of_call.read_bytes()
    assert drawn == expected
    assert ("effectStarted", reaction) in events(messages)
    assert events(messages)[-1][0] == "streamEnded"


def test_gestures_trigger_reactions(build, environment, call, library_filter, tmp_path):
    messages = pipeline(environment, call, tmp_path / "drawn.yuv", ["hold=0.8"])
    settings = '{"recognition": {"hold": 0.8}, "processor": {"matrix": "bt601"}}'
    with open(call, "rb") as source:
        expected = subprocess.run(
            [library_filter, str(WIDTH), str(HEIGHT), str(RATE), settings], stdin=source, capture_output=True, check=True
        ).stdout
    assert [event for event in events(messages) if event[0] in ("gesture", "effectStarted")] == [
        ("gesture", None),
        ("effectStarted", "confetti"),
    ]
    assert (tmp_path / "drawn.yuv").read_bytes() == expected


@pytest.mark.parametrize("effect", ["portrait", "studio-light"])
def test_effects_on_the_whole_video_are_those_of_the_library(
    build, environment, start_of_call, library_filter, tmp_path, effect
):
    messages = pipeline(environment, start_of_call, tmp_path / "drawn.yuv", [f"{effect}=1", "gestures=false"])
    settings = {"recognition": {"gestures": False}, "processor": {"matrix": "bt601"}, "effects": {effect: 1}}
    with open(start_of_call, "rb") as source:
        expected = subprocess.run(
            [library_filter, str(WIDTH), str(HEIGHT), str(RATE), json.dumps(settings)],
            stdin=source, capture_output=True, check=True,
        ).stdout  # fmt: skip
    drawn = (tmp_path / "drawn.yuv").read_bytes()
    assert drawn == expected != start_of_call.read_bytes()
    assert ("videoEffectsChanged", None) in events(messages)


def test_unknown_reaction_is_a_warning(build, environment, call, tmp_path):
    messages = pipeline(environment, call, tmp_path / "drawn.yuv", ["reaction=konfetti", "gestures=false"])
    assert (tmp_path / "drawn.yuv").read_bytes() == call.read_bytes()
    assert "konfetti" in messages and "confetti" in messages


def test_pipelines_of_the_guide_run(build, environment, call, tmp_path):
    """Those that need neither a camera nor a network; windows are replaced by sinks without one."""
    page = (REPOSITORY / "docs/gstreamer.md").read_text()
    pipelines = [line for line in re.findall(r"^ *gst-launch-1.0 ((?:.*\\\n)*.*)", page, re.M)]
    pipelines = [line.replace("\\\n", " ") for line in pipelines if "videotestsrc" in line]
    assert pipelines
    for line in pipelines:
        line = line.replace("videotestsrc", "videotestsrc num-buffers=20").replace("autovideosink", "fakesink")
        run("gst-launch-1.0", *shlex.split(line), env=environment, cwd=tmp_path)
