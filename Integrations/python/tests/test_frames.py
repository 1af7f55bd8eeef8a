"""Frames as NumPy arrays."""

import threading
import time

import numpy as np
import pytest

import flourish

PLAIN = {"recognition": {"gestures": False}}
WIDTH, HEIGHT = 320, 180


def new_frame(format):
    if format in ("nv12", "i420"):
        return np.full((HEIGHT * 3 // 2, WIDTH), 100, np.uint8)
    return np.full((HEIGHT, WIDTH, len(format)), 100, np.uint8)


@pytest.mark.parametrize("format", ["bgr", "rgb", "bgrx", "rgba", "nv12", "i420"])
def test_frames_are_drawn_on_in_place(format):
    with flourish.Processor(WIDTH, HEIGHT, format, settings=PLAIN) as processor:
        idle = new_frame(format)
        idle.flags.writeable = True
        assert not processor.process(idle, 0)
        assert np.array_equal(idle, new_frame(format))
        processor.perform("fireworks", at=(0.5, 0.5))
        frame = new_frame(format)
        address = frame.ctypes.data
        changed = False
        for index in range(1, 20):
            assert processor.process(frame, index / 10)
            changed = changed or not np.array_equal(frame, new_frame(format))
        assert changed and frame.ctypes.data == address


def test_rgb_is_bgr_with_other_places():
    drawn = {}
    for format in ("rgb", "bgr"):
        with flourish.Processor(WIDTH, HEIGHT, format, settings=PLAIN) as processor:
            processor.perform("confetti", at=(0.5, 0.5))
            for index in range(10):
                frame = new_frame(format)
                processor.process(frame, index / 10)
            drawn[format] = frame
    assert np.array_equal(drawn["rgb"], drawn["bgr"][:, :, ::-1])
    assert not np.array_equal(drawn["rgb"], drawn["bgr"])


def test_planes_and_one_array_are_equal():
    for format, parts in (("nv12", 2), ("i420", 3)):
        results = []
        for is_split in (False, True):
            with flourish.Processor(WIDTH, HEIGHT, format, settings=PLAIN) as processor:
                processor.perform("confetti", at=(0.5, 0.5))
                frame = new_frame(format)
                split = [frame[:HEIGHT]]
                if parts == 2:
                    split.append(frame[HEIGHT:].reshape(HEIGHT // 2, WIDTH // 2, 2))
                else:
                    rest = frame[HEIGHT:].reshape(2, HEIGHT // 2, WIDTH // 2)
                    split += [rest[0], rest[1]]
                for index in range(10):
                    processor.process(tuple(split) if is_split else frame, index / 10)
                results.append(frame.copy())
        assert np.array_equal(*results)
        assert not np.array_equal(results[0], new_frame(format))


def test_a_part_of_an_array_is_a_frame():
    """Rows with gaps; what is around them stays."""
    whole = np.full((HEIGHT + 20, WIDTH + 30, 3), 100, np.uint8)
    part = whole[10 : 10 + HEIGHT, 15 : 15 + WIDTH]
    with flourish.Processor(WIDTH, HEIGHT, settings=PLAIN) as processor:
        processor.perform("rain")
        for index in range(10):
            processor.process(part, index / 10)
    assert not (part == 100).all()
    around = whole.copy()
    around[10 : 10 + HEIGHT, 15 : 15 + WIDTH] = 100
    assert (around == 100).all()


def test_odd_sizes():
    for format in ("nv12", "i420"):
        with flourish.Processor(33, 17, format, settings=PLAIN) as processor:
            chroma = [np.zeros((9, 17, 2), np.uint8)] if format == "nv12" else 2 * [np.zeros((9, 17), np.uint8)]
            assert not processor.process((np.zeros((17, 33), np.uint8), *chroma), 0)
            with pytest.raises(flourish.InvalidArgument, match="one for each plane"):
                processor.process(np.zeros((25, 33), np.uint8), 1)
    with flourish.Processor(1, 1, "bgr", settings=PLAIN) as processor:
        assert not processor.process(np.zeros((1, 1, 3), np.uint8), 0)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (np.zeros((180, 320, 4), np.uint8), r"shape \(180, 320, 4\)"),
        (np.zeros((320, 180, 3), np.uint8), r"shape"),
        (np.zeros((180, 320, 3), np.float32), "uint8"),
        (np.zeros((180, 320, 3), np.int8), "uint8"),
        (np.zeros((180, 640, 3), np.uint8)[:, ::2], "not contiguous"),
        (np.zeros((180, 320, 3), np.uint8)[::-1], "not contiguous"),
        (np.zeros((320, 180, 3), np.uint8).transpose(1, 0, 2), "not contiguous"),
        (np.broadcast_to(np.zeros((1, 320, 3), np.uint8), (180, 320, 3)), "read-only|not contiguous"),
        (None, "not NoneType"),
        (b"frame", "not bytes"),
        ((), "0 arrays"),
        (2 * (np.zeros((180, 320, 3), np.uint8),), "2 arrays"),
        ([1], "not int"),
    ],
)
def test_wrong_frames_are_refused(frame, message):
    with flourish.Processor(WIDTH, HEIGHT, settings=PLAIN) as processor:
        with pytest.raises(flourish.InvalidArgument, match=message):
            processor.process(frame, 0)
        # It works on.
        assert not processor.process(new_frame("bgr"), 0)


def test_a_read_only_frame_is_refused():
    frame = new_frame("bgr")
    frame.flags.writeable = False
    processor = flourish.Processor(WIDTH, HEIGHT, settings=PLAIN)
    with pytest.raises(flourish.InvalidArgument, match="read-only"):
        processor.process(frame, 0)


@pytest.mark.parametrize("time", [float("nan"), float("inf"), 1e300, "1", None, 2**80])
def test_wrong_times_are_refused(time):
    processor = flourish.Processor(WIDTH, HEIGHT, settings=PLAIN)
    with pytest.raises(flourish.InvalidArgument, match="time"):
        processor.process(new_frame("bgr"), time)


def test_late_and_repeated_times():
    with flourish.Processor(WIDTH, HEIGHT, settings=PLAIN) as processor:
        frame = new_frame("bgr")
        processor.process(frame, 1)
        for late in (1, 0.5, -3):
            with pytest.raises(flourish.LateFrame, match="skip the frame"):
                processor.process(frame, late)
        processor.process(frame, 1.1)
        processor.finish()
        with pytest.raises(flourish.Finished):
            processor.process(frame, 2)


def test_other_threads_run_while_a_frame_is_drawn():
    """The interpreter's lock is free during a call."""
    with flourish.Processor(1920, 1080, settings=PLAIN) as processor:
        processor.perform("fireworks")
        frame = np.full((1080, 1920, 3), 100, np.uint8)
        processor.process(frame, 0)
        counts = []
        runs = threading.Event()
        ends = threading.Event()

        def count():
            runs.set()
            while not ends.is_set():
                counts.append(time.perf_counter())
                time.sleep(0.0005)

        thread = threading.Thread(target=count)
        thread.start()
        runs.wait()
        start = time.perf_counter()
        for index in range(1, 6):
            processor.process(frame, index / 30)
        end = time.perf_counter()
        ends.set()
        thread.join()
    # With the lock held, at most one step would fit between two calls.
    during = [each for each in counts if start < each < end]
    assert len(during) > 10, f"{len(during)} steps in {end - start} s"


def test_four_threads_with_one_processor():
    failures = []
    with flourish.Processor(96, 64, settings=PLAIN) as processor:

        def work(number):
            frame = np.zeros((64, 96, 3), np.uint8)
            for index in range(100):
                try:
                    processor.process(frame, (4 * index + number) / 100)
                except flourish.LateFrame:
                    pass
                except Exception as error:  # Reported by the test's own thread.
                    failures.append(error)
                if index % 10 == 0:
                    processor.perform("confetti")
                list(processor.events())

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_memory_stays():
    """A thousand processors."""

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    frame = np.zeros((64, 96, 3), np.uint8)
    before = 0
    for index in range(1000):
        if index == 200:
            before = resident()
        processor = flourish.Processor(96, 64, settings={**PLAIN, "processor": {}})
        processor.process(frame, 0)
        list(processor.events())
        if index % 2:
            processor.close()
    del processor
    assert resident() - before < 4_000_000
