"""The examples, PyAV, types and documentation."""

import subprocess
import sys
from pathlib import Path

import pytest

import flourish

HERE = Path(__file__).parents[1]


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, HERE / "examples" / name, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(("name", "package"), [("with_opencv.py", "cv2"), ("with_pyav.py", "av")])
def test_examples_show_the_gesture(name, package, call, tmp_path):
    pytest.importorskip(package)
    result = run(name, call, tmp_path / "out.mp4")
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith(" s: confetti\n") and result.stdout.count("\n") == 1
    # The effect is in the frames.
    (ended,) = [event for event in flourish.detect(tmp_path / "out.mp4") if isinstance(event, flourish.StreamEnded)]
    assert ended.frames_in == 150


def test_frames_of_pyav(call):
    """Decoded frames in several formats, with the times of the recording. The decoder's own frames stay."""
    av = pytest.importorskip("av")
    for format in ("yuv420p", "nv12", "rgb24", "bgr24", "rgba", "bgr0"):
        with av.open(call) as source, flourish.Processor(640, 360, format) as processor:
            processor.perform("fireworks", at=(0.5, 0.5))
            plain = []
            for index, frame in enumerate(source.decode(video=0)):
                if frame.format.name != format:
                    frame = frame.reformat(format=format)
                # An array of PyAV shares the frame's memory.
                before = [bytes(plane) for plane in frame.planes]
                assert processor.process(frame)
                plain.append(before == [bytes(plane) for plane in frame.planes])
                if index == 20:
                    break
            assert not all(plain)
            events = list(processor.events())
            assert events[1].reaction_type == "fireworks" and events[1].time == 0
    with av.open(call) as source, flourish.Processor(320, 180, "yuv420p") as processor:
        frame = next(source.decode(video=0))
        with pytest.raises(flourish.InvalidArgument, match="640 by 360 pixels"):
            processor.process(frame)


def test_drawing_does_not_change_the_decoders_pictures(call):
    """Frames refer to earlier ones: the plain frames after an effect are those of a decoder alone."""
    av = pytest.importorskip("av")
    pictures = []
    for draws in (False, True):
        with (
            av.open(call) as source,
            flourish.Processor(640, 360, "yuv420p", settings={"recognition": {"gestures": False}}) as processor,
        ):
            processor.reactions_enabled = draws
            processor.perform("fireworks", at=(0.5, 0.5))
            for index, frame in enumerate(source.decode(video=0)):
                if index == 10:
                    processor.cancel()
                processor.process(frame)
                if index == 15:
                    pictures.append(frame.to_ndarray())
                    break
    assert (pictures[0] == pictures[1]).all()


def test_types(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "typed.py"
    program.write_text(
        "import flourish\n"
        "for event in flourish.detect('call.mp4', hold=0.7):\n"
        "    if isinstance(event, flourish.EffectStarted):\n"
        "        reveal_type(event.origin.x)\n"
        "with flourish.Processor(1, 1) as processor:\n"
        "    reveal_type(processor)\n"
        "flourish.filter(1, 2)\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.stdout.count('"float"') == 1 and result.stdout.count("Processor") == 1, result.stdout
    assert result.stdout.count("error:") == 2 and result.stdout.count("[arg-type]") == 2, result.stdout
    package = Path(flourish.__file__).parent
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", package], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.returncode == 0, result.stdout


def test_the_reference_is_that_of_the_docstrings(repository):
    result = subprocess.run(
        [sys.executable, HERE / "reference.py", "--check", repository / "docs" / "python-reference.md"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
