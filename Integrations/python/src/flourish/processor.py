"""Reactions on frames of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

from ._frames import Layout
from ._library import Handle
from .errors import InvalidArgument
from .events import Event, parse_event

_REACTIONS, _GESTURES = 1, 2


class Processor:
    """Recognises gestures in the frames of one video, and draws reactions on them, in place.

    Any thread may call any method. Other Python threads run while a method works.

    - `width`, `height`: the size of all frames in pixels, 1 to 16384.
    - `format`: the pixel format of all frames: `bgr` (as of OpenCV), `rgb`, `rgba`, `bgrx`, `nv12` or `i420`, or
      FFmpeg's name of the same, such as `bgr24`.
    - `settings`: tables of settings, such as `{"recognition": {"hold": 0.7}}`; docs/c-library.md lists them.
    - `live`: recognise gestures on a thread beside the frames. A call takes the time of drawing only, and two runs may
      differ.
    """

    def __init__(
        self,
        width: int,
        height: int,
        format: str = "bgr",
        *,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        live: bool = False,
    ) -> None:
        tables = {name: dict(table) for name, table in (settings or {}).items()}
        if live:
            tables.setdefault("processor", {})["live"] = True
        try:
            text = json.dumps(tables)
        except (TypeError, ValueError) as error:
            raise InvalidArgument(f"the settings have no form in JSON: {error}") from error
        for name, size in (("width", width), ("height", height)):
            if not -(2**31) <= size < 2**31:
                raise InvalidArgument(f"the {name} of {size} pixels is not one of 1 to 16384")
        self._layout = Layout(width, height, format)
        self._handle = Handle(width, height, self._layout.number, text)

    def process(self, frame: Any, time: float | None = None) -> bool:
        """Recognise gestures in a frame if it is due, and draw the effects in progress on it.

        A frame without effects is not written to.

        - `frame`: a NumPy array of `uint8` with the shape (height, width, channels); for `nv12` and `i420` an array of
          (1.5 * height, width), or a tuple with an array for each plane; or a frame of PyAV. A PyAV frame that the
          decoder still refers to is copied first.
        - `time`: the time stamp in seconds, greater than that of the previous frame. By default that of a PyAV frame.

        Returns whether the frame was drawn on.
        """
        if time is None:
            time = getattr(frame, "time", None)
            if time is None:
                raise InvalidArgument("the frame has no time stamp; pass its time in seconds")
        nanoseconds = self._nanoseconds(time, "time")
        addresses, strides = self._layout.memory(frame)
        return self._handle.process(addresses, strides, nanoseconds)

    def finish(self) -> None:
        """End the effects in progress, and emit the last events."""
        self._handle.finish()

    def close(self) -> None:
        """Free the processor's memory. Further calls raise `InvalidArgument`."""
        self._handle.destroy()

    def __enter__(self) -> Processor:
        """Return the processor, which is closed at the end of the `with` statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the processor."""
        self.close()

    def perform(self, reaction: str, at: tuple[float, float] | None = None) -> None:
        """Show the effect of a reaction from the next frame on. An effect in progress is extended.

        - `reaction`: a name of `reactions`, such as `confetti`.
        - `at`: where it starts, in fractions of width and height from the top left corner; by default its own place.
        """
        self._handle.perform(reaction, at)

    def cancel(self, reaction: str | None = None, *, effect: int | None = None) -> None:
        """End effects with the next frame: all, those of a reaction, or one by the `id` of its events."""
        if effect is not None:
            self._handle.cancel_effect(effect)
        else:
            self._handle.cancel(reaction)

    @property
    def reactions(self) -> list[str]:
        """The names of the available reactions."""
        names: list[str] = json.loads(self._handle.reactions())
        return names

    @property
    def reactions_enabled(self) -> bool:
        """Whether reactions are shown. Set it to switch them, from the next frame on."""
        return self._handle.switch(_REACTIONS)

    @reactions_enabled.setter
    def reactions_enabled(self, on: bool) -> None:
        self._handle.set_switch(_REACTIONS, on)

    @property
    def gestures_enabled(self) -> bool:
        """Whether gestures are recognised. Set it to switch them, from the next frame on."""
        return self._handle.switch(_GESTURES)

    @gestures_enabled.setter
    def gestures_enabled(self, on: bool) -> None:
        self._handle.set_switch(_GESTURES, on)

    def set_gesture(self, gesture: str, on: bool) -> None:
        """Switch one gesture on or off, such as `victory`."""
        self._handle.set_gesture(gesture, on)

    def snooze(self, seconds: float) -> None:
        """Ignore gestures for a while, in the time of the frames; 0 ends an earlier call's duration."""
        self._handle.snooze(self._nanoseconds(seconds, "duration"))

    def events(self) -> Iterator[Event]:
        """Iterate over the events that were not read yet. It ends when none is waiting; call it after each frame.

        Up to 4096 unread events are kept; then the oldest ones are lost.
        """
        while (line := self._handle.next_event()) is not None:
            yield parse_event(line)

    @staticmethod
    def _nanoseconds(seconds: float, name: str) -> int:
        try:
            nanoseconds = round(seconds * 1_000_000_000)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(f"the {name} {seconds!r} is not a number of seconds") from None
        if not -(2**63) <= nanoseconds < 2**63:
            raise InvalidArgument(f"the {name} of {seconds} s is out of range")
        return nanoseconds
