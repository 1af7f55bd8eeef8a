"""Draws reactions on a camera or a recording with OpenCV.

usage: with_opencv.py [INPUT [OUTPUT]]

INPUT is a file or the number of a camera, 0 by default. Without OUTPUT the frames are shown in a window; q ends it.
"""

import sys
import time

import cv2

import flourish


def main(arguments: list[str]) -> int:
    """Run the program."""
    name = arguments[0] if arguments else "0"
    is_camera = name.isdigit()
    capture = cv2.VideoCapture(int(name) if is_camera else name)
    if not capture.isOpened():
        sys.exit(f"with_opencv: {name} cannot be opened; name a file or a camera's number")
    width = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH))
    height = int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    rate = capture.get(cv2.CAP_PROP_FPS) or 30
    writer = None
    if len(arguments) > 1:
        writer = cv2.VideoWriter(arguments[1], cv2.VideoWriter.fourcc(*"mp4v"), rate, (width, height))

    start = time.monotonic()
    index = 0
    # A camera does not wait: gestures are recognised beside its frames.
    with flourish.Processor(width, height, "bgr", live=is_camera) as processor:
        while True:
            is_there, frame = capture.read()
            if not is_there:
                break
            processor.process(frame, time.monotonic() - start if is_camera else index / rate)
            for event in processor.events():
                if isinstance(event, flourish.EffectStarted):
                    print(f"{event.time:.2f} s: {event.reaction_type}", flush=True)
            if writer:
                writer.write(frame)
            else:
                cv2.imshow("Flourish", frame)
                if cv2.waitKey(1) == ord("q"):
                    break
            index += 1
    if writer:
        writer.release()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
