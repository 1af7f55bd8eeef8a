"""The functions of libflourish, which docs/c-reference.md describes.

Each call releases the interpreter's lock until it returns.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any, Callable

from . import errors

NATIVE = Path(__file__).parent / "_native"
"""The folder of a wheel with the library, the program, models and effects."""

_ERRORS: dict[int, type[errors.Error]] = {
    1: errors.InvalidArgument,
    2: errors.FileUnavailable,
    3: errors.FileUnusable,
    4: errors.Unavailable,
    5: errors.LateFrame,
    6: errors.Finished,
}


def _load() -> ctypes.CDLL:
    inside = NATIVE / "lib" / "libflourish.so"
    name = os.environ.get("FLOURISH_LIBRARY") or (str(inside) if inside.exists() else "libflourish.so.0")
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"libflourish cannot be loaded: {error}; install the wheel, or name the library in FLOURISH_LIBRARY"
        ) from error


_library = _load()


def _declare(name: str, *arguments: Any) -> Callable[..., int]:
    function = _library[name]
    function.argtypes = arguments
    function.restype = c_int
    return function


_create = _declare("flourish_create", c_int32, c_int32, c_int, c_char_p, POINTER(c_void_p))
_process = _declare("flourish_process", c_void_p, POINTER(c_void_p), POINTER(c_int32), c_int64, POINTER(c_bool))
_finish = _declare("flourish_finish", c_void_p)
_perform = _declare("flourish_perform", c_void_p, c_char_p)
_perform_at = _declare("flourish_perform_at", c_void_p, c_char_p, c_double, c_double)
_cancel = _declare("flourish_cancel", c_void_p, c_char_p)
_cancel_effect = _declare("flourish_cancel_effect", c_void_p, c_int64)
_set_switch = _declare("flourish_set_switch", c_void_p, c_int, c_bool)
_get_switch = _declare("flourish_get_switch", c_void_p, c_int, POINTER(c_bool))
_set_gesture = _declare("flourish_set_gesture", c_void_p, c_char_p, c_bool)
_snooze = _declare("flourish_snooze", c_void_p, c_int64)
_reactions = _declare("flourish_reactions", c_void_p, POINTER(c_void_p))
_next_event = _declare("flourish_next_event", c_void_p, POINTER(c_void_p))
_destroy = _library["flourish_destroy"]
_destroy.argtypes = [c_void_p]
_destroy.restype = None
_free = _library["flourish_free"]
_free.argtypes = [c_void_p]
_free.restype = None
_error_message = _library["flourish_error_message"]
_error_message.restype = c_char_p
_version = _library["flourish_version"]
_version.restype = c_char_p


def _check(status: int) -> None:
    """Raise the error of a failed call; its message belongs to this thread."""
    if status:
        raise _ERRORS.get(status, errors.Error)(_error_message().decode())


def _taken(text: c_void_p) -> str | None:
    """Return a string that a call has returned, and free it."""
    if not text.value:
        return None
    try:
        return ctypes.string_at(text.value).decode()
    finally:
        _free(text)


def _name(text: str) -> bytes:
    if "\0" in text:
        raise errors.InvalidArgument(f"{text!r} contains a null character; remove it")
    return text.encode()


def version() -> str:
    """Return the version of the library, such as `0.2.0`."""
    text: bytes = _version()
    return text.decode()


class Handle:
    """A processor of the library; destroyed with the object."""

    def __init__(self, width: int, height: int, format: int, settings: str) -> None:
        self._handle = c_void_p()
        _check(_create(width, height, format, _name(settings), byref(self._handle)))

    def destroy(self) -> None:
        """Destroy the processor; calls in progress on other threads continue to their end."""
        _destroy(self._handle)

    def __del__(self) -> None:
        # At the interpreter's exit the module's names may be gone; the library ends with the process then.
        if _destroy is not None and getattr(self, "_handle", None):
            _destroy(self._handle)

    def process(self, addresses: list[int], strides: list[int], time: int) -> bool:
        """Draw on a frame, and return whether it was drawn on."""
        drawn = c_bool()
        count = len(addresses)
        status = _process(self._handle, (c_void_p * count)(*addresses), (c_int32 * count)(*strides), time, byref(drawn))
        _check(status)
        return drawn.value

    def finish(self) -> None:
        _check(_finish(self._handle))

    def perform(self, reaction: str, place: tuple[float, float] | None) -> None:
        if place is None:
            _check(_perform(self._handle, _name(reaction)))
        else:
            _check(_perform_at(self._handle, _name(reaction), *place))

    def cancel(self, reaction: str | None) -> None:
        _check(_cancel(self._handle, None if reaction is None else _name(reaction)))

    def cancel_effect(self, effect: int) -> None:
        _check(_cancel_effect(self._handle, effect))

    def set_switch(self, switch: int, on: bool) -> None:
        _check(_set_switch(self._handle, switch, on))

    def switch(self, switch: int) -> bool:
        on = c_bool()
        _check(_get_switch(self._handle, switch, byref(on)))
        return on.value

    def set_gesture(self, gesture: str, on: bool) -> None:
        _check(_set_gesture(self._handle, _name(gesture), on))

    def snooze(self, duration: int) -> None:
        _check(_snooze(self._handle, duration))

    def reactions(self) -> str:
        text = c_void_p()
        _check(_reactions(self._handle, byref(text)))
        return _taken(text) or "[]"

    def next_event(self) -> str | None:
        text = c_void_p()
        _check(_next_event(self._handle, byref(text)))
        return _taken(text)
