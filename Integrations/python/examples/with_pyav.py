"""Draws reactions on the frames of a recording with PyAV, and encodes them.

usage: with_pyav.py INPUT OUTPUT
"""

import sys

import av

import flourish


def main(arguments: list[str]) -> int:
    """Run the program."""
    if len(arguments) != 2:
        sys.exit(__doc__)
    with av.open(arguments[0]) as source, av.open(arguments[1], "w") as target:
        video = source.streams.video[0]
        encoded = target.add_stream("libx264", rate=video.average_rate or 30)
        encoded.width, encoded.height, encoded.pix_fmt = video.width, video.height, "yuv420p"
        encoded.time_base = video.time_base
        with flourish.Processor(video.width, video.height, "yuv420p") as processor:
            for frame in source.decode(video):
                if frame.format.name != "yuv420p":
                    frame = frame.reformat(format="yuv420p")
                processor.process(frame)
                for event in processor.events():
                    if isinstance(event, flourish.EffectStarted):
                        print(f"{event.time:.2f} s: {event.reaction_type}", flush=True)
                target.mux(encoded.encode(frame))
        target.mux(encoded.encode(None))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
