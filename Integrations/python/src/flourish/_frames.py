"""Addresses and strides of the planes of a frame, which stays where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import InvalidArgument


@dataclass(frozen=True)
class Plane:
    """The part of a frame of one plane, in samples: `channels` of them for each of `columns` in each of `rows`."""

    rows: int
    columns: int
    channels: int

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of an array of the plane; the first is the usual one."""
        if self.channels == 1:
            return [(self.rows, self.columns), (self.rows, self.columns, 1)]
        return [(self.rows, self.columns, self.channels), (self.rows, self.columns * self.channels)]


# The number of flourish.h, and the names: the own one first, then those of FFmpeg.
_FORMATS: dict[str, tuple[int, tuple[str, ...]]] = {
    "nv12": (1, ()),
    "i420": (2, ("yuv420p", "yuvj420p")),
    "bgrx": (3, ("bgr0",)),
    "rgba": (4, ()),
    "bgr": (5, ("bgr24",)),
    "rgb": (6, ("rgb24",)),
}
_NAMES = {name: own for own, (_, others) in _FORMATS.items() for name in (own, *others)}


class Layout:
    """The planes of a pixel format for one size."""

    def __init__(self, width: int, height: int, format: str) -> None:
        own = _NAMES.get(format.lower())
        if own is None:
            raise InvalidArgument(f"{format!r} is not a pixel format; use one of {', '.join(_NAMES)}")
        self.width, self.height, self.format = width, height, own
        self.number = _FORMATS[own][0]
        self._size = f"{width} by {height} pixels"
        half_width, half_height = (width + 1) // 2, (height + 1) // 2
        if own == "nv12":
            self.planes = [Plane(height, width, 1), Plane(half_height, half_width, 2)]
        elif own == "i420":
            self.planes = [Plane(height, width, 1)] + 2 * [Plane(half_height, half_width, 1)]
        else:
            self.planes = [Plane(height, width, len(own))]

    def memory(self, frame: Any) -> tuple[list[int], list[int]]:
        """Return the addresses and strides of a frame's planes, which are valid while the frame is."""
        if hasattr(frame, "planes") and hasattr(frame, "format"):
            return self._video_frame(frame)
        if isinstance(frame, (tuple, list)):
            if len(frame) != len(self.planes):
                raise InvalidArgument(
                    f"{len(frame)} arrays were passed; a frame in {self.format} has {len(self.planes)}"
                )
            found = [self._array(array, plane) for array, plane in zip(frame, self.planes)]
            return [address for address, _ in found], [stride for _, stride in found]
        if len(self.planes) == 1:
            address, stride = self._array(frame, self.planes[0])
            return [address], [stride]
        return self._stacked(frame)

    def _stacked(self, frame: Any) -> tuple[list[int], list[int]]:
        """Return the planes of one array that holds them below each other, as of OpenCV and PyAV."""
        if self.width % 2 or self.height % 2:
            raise InvalidArgument(
                f"a frame of {self._size} in {self.format} does not fit into one array; pass one for each plane"
            )
        address, stride = self._array(frame, Plane(self.height * 3 // 2, self.width, 1))
        chroma = address + self.height * stride
        if self.format == "nv12":
            return [address, chroma], [stride, stride]
        # Two rows of chroma lie in one row of the array.
        if stride != self.width:
            raise InvalidArgument("the rows of the array have gaps; pass one array for each plane")
        return [address, chroma, chroma + self.width * self.height // 4], [stride, stride // 2, stride // 2]

    def _array(self, array: Any, plane: Plane) -> tuple[int, int]:
        """Return the address and the stride of an array that NumPy's array interface describes."""
        try:
            interface: dict[str, Any] = array.__array_interface__
        except AttributeError:
            raise InvalidArgument(
                f"a frame is a NumPy array, a tuple of them or a PyAV frame, not {type(array).__name__}"
            ) from None
        if interface["typestr"] != "|u1":
            raise InvalidArgument(f"the array's samples have the type {interface['typestr']}; a frame has uint8")
        shape: tuple[int, ...] = interface["shape"]
        if shape not in plane.shapes:
            raise InvalidArgument(
                f"the array has the shape {shape}; a plane of {self._size} in {self.format} has {plane.shapes[0]}"
            )
        address, is_read_only = interface["data"]
        if is_read_only:
            raise InvalidArgument("the array is read-only, and frames are drawn on in place; pass a copy")
        row = plane.columns * plane.channels
        strides: tuple[int, ...] | None = interface.get("strides")
        if strides is None:
            return address, row
        dense = (plane.channels, 1) if len(shape) == 3 else (1,)
        # The stride of a dimension with one element has no meaning.
        if any(n > 1 and s != d for n, s, d in zip(shape[1:], strides[1:], dense)) or (
            plane.rows > 1 and strides[0] < row
        ):
            raise InvalidArgument(
                "the array's rows are not contiguous from the top down; pass a copy, as of numpy.ascontiguousarray"
            )
        return address, strides[0] if plane.rows > 1 else row

    def _video_frame(self, frame: Any) -> tuple[list[int], list[int]]:
        name = str(frame.format.name)
        if _NAMES.get(name) != self.format or (frame.width, frame.height) != (self.width, self.height):
            raise InvalidArgument(
                f"the frame has {frame.width} by {frame.height} pixels in {name}, the processor "
                f"{self._size} in {self.format}; use frame.reformat"
            )
        # A decoder may still refer to the frame's memory.
        frame.make_writable()
        return [plane.buffer_ptr for plane in frame.planes], [plane.line_size for plane in frame.planes]
