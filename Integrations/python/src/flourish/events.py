"""Events of frames and recordings; docs/events.md describes them and their fields.

Times are in seconds, and places are fractions of the picture, from its top left corner.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .errors import FileUnavailable, FileUnusable


@dataclass(frozen=True)
class Point:
    """A place in the picture: `x` from the left edge, `y` from the top edge, 0 to 1."""

    x: float
    y: float


@dataclass(frozen=True)
class Tile:
    """The rectangle of one participant in a gallery recording, in fractions of the picture."""

    id: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Crop:
    """The part of the input's picture that the output shows with auto framing, in fractions of the input's picture."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Effect:
    """An effect in progress, as of `EffectsInProgress`."""

    id: int
    reaction_type: str
    start_time: float
    end_time: float | None = None
    origin: Point | None = None
    system_image_name: str | None = None
    tile: Tile | None = None


@dataclass(frozen=True)
class Event:
    """An event; the base of all kinds. A kind that this version does not know is an `Event` itself.

    - `time`: seconds on the output video's clock.
    - `frame`: the index of the output frame.
    - `name`: the kind, as in docs/events.md, such as `effectStarted`.
    - `data`: all fields as they were emitted.
    """

    time: float
    frame: int
    name: str
    data: Mapping[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True)
class StreamStarted(Event):
    """The first event."""

    input: str
    width: int
    height: int
    frame_rate: float | None
    available_reaction_types: list[str]
    gestures_enabled: bool
    reactions_enabled: bool
    frame_rate_during_effects: float | None
    whole_reason: str | None = None


@dataclass(frozen=True)
class Gesture(Event):
    """A gesture was held long enough."""

    gesture: str
    hands: int
    confidence: float
    origin: Point
    held_since: float
    tile: Tile | None = None
    crop: Crop | None = None


@dataclass(frozen=True)
class Candidate(Event):
    """A hold ended that almost fired; with the option `candidates`."""

    gesture: str
    hands: int
    confidence: float
    origin: Point
    held_since: float
    held_until: float
    held: float
    hold: float
    reason: str
    tile: Tile | None = None
    crop: Crop | None = None


@dataclass(frozen=True)
class EffectStarted(Event):
    """The first frame of an effect is drawn."""

    id: int
    reaction_type: str
    trigger: str
    origin: Point
    start_time: float
    end_time: float | None = None
    gesture: str | None = None
    system_image_name: str | None = None
    detail: float | None = None
    tile: Tile | None = None
    crop: Crop | None = None


@dataclass(frozen=True)
class EffectExtended(Event):
    """A running effect was requested again, and continues with another burst."""

    id: int
    reaction_type: str
    trigger: str
    tile: Tile | None = None


@dataclass(frozen=True)
class EffectEnded(Event):
    """The first frame without the effect."""

    id: int
    reaction_type: str
    start_time: float
    end_time: float
    encoder: Mapping[str, Any] | None = None
    tile: Tile | None = None


@dataclass(frozen=True)
class EffectsInProgress(Event):
    """The set of running effects changed."""

    effects: list[Effect]


@dataclass(frozen=True)
class EncoderAdjusted(Event):
    """The encoder's targets change."""

    reason: str
    requested: Mapping[str, Any]
    previous: Mapping[str, Any]
    applied: Mapping[str, Any] | None = None
    not_adjustable: str | None = None


@dataclass(frozen=True)
class EncoderRecovered(Event):
    """The quantiser is as before the effects."""

    end_time: float
    seconds: float
    usual_qp: float


@dataclass(frozen=True)
class FrameRateChanged(Event):
    """Frame drops begin or end."""

    from_: float
    to: float
    reason: str


@dataclass(frozen=True)
class LayoutChanged(Event):
    """The tiles of a gallery recording changed."""

    tiles: list[Tile]


@dataclass(frozen=True)
class VideoEffectsChanged(Event):
    """The background, Studio Light or auto framing changed, or is on from the first frame."""

    portrait: float
    studio_light: float
    background: str
    auto_framing: float = 0


@dataclass(frozen=True)
class QualityChanged(Event):
    """A live run lowers or raises its quality."""

    from_: str
    to: str
    load: float


@dataclass(frozen=True)
class Statistics(Event):
    """The time of frames since the last such event; with the option `stats`."""

    stages: list[Mapping[str, Any]]


@dataclass(frozen=True)
class Warned(Event):
    """A warning: something was skipped, dropped or damaged."""

    code: str
    message: str


@dataclass(frozen=True)
class Photo(Event):
    """A photograph was taken (`photoFinished`), or will be replaced by a better one (`photoProxy`)."""

    id: int
    photo_time: float
    content: str
    photo_quality_prioritization: str
    frames: int
    width: int
    height: int
    zero_shutter_lag: bool
    path: str | None = None
    reaction_type: str | None = None
    gesture: str | None = None
    origin: Point | None = None
    choice: Mapping[str, Any] | None = None
    tile: Tile | None = None
    crop: Crop | None = None


@dataclass(frozen=True)
class PhotoFailed(Event):
    """A photograph could not be taken or written."""

    id: int
    message: str


@dataclass(frozen=True)
class PhotoReadiness(Event):
    """The readiness for a photograph changed."""

    readiness: str


@dataclass(frozen=True)
class StreamEnded(Event):
    """The last event, unless the run fails."""

    frames_in: int
    frames_out: int
    frames_dropped: int
    effect_counts: Mapping[str, int]
    seconds: float
    sounds: Sequence[Mapping[str, float]] | None = None
    smart_render: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class EventsLost(Event):
    """Events were dropped because the reader was too slow."""

    count: int


@dataclass(frozen=True)
class PropertyChanged(Event):
    """An observed property of a run has a new value."""

    property: str
    value: Any


KINDS: Mapping[str, type[Event]] = {
    "streamStarted": StreamStarted,
    "gesture": Gesture,
    "candidate": Candidate,
    "effectStarted": EffectStarted,
    "effectExtended": EffectExtended,
    "effectEnded": EffectEnded,
    "effectsInProgress": EffectsInProgress,
    "encoderAdjusted": EncoderAdjusted,
    "encoderRecovered": EncoderRecovered,
    "frameRateChanged": FrameRateChanged,
    "layoutChanged": LayoutChanged,
    "videoEffectsChanged": VideoEffectsChanged,
    "qualityChanged": QualityChanged,
    "statistics": Statistics,
    "warning": Warned,
    "photoProxy": Photo,
    "photoFinished": Photo,
    "photoFailed": PhotoFailed,
    "photoReadiness": PhotoReadiness,
    "streamEnded": StreamEnded,
    "eventsLost": EventsLost,
    "propertyChanged": PropertyChanged,
}
"""The class of each kind of event."""

# Fields whose names are keywords of Python, or fields of every event.
_RENAMED = {"from": "from_", "name": "property", "usualQP": "usual_qp"}


def field_name(name: str) -> str:
    """Return the attribute of a field of docs/events.md: `reactionType` is `reaction_type`."""
    return _RENAMED.get(name) or re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def _fill(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Make an object of a class from the fields that it knows; new ones may be added to an event."""
    known = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in known})


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "origin":
        return _fill(Point, value)
    if name == "tile":
        return _fill(Tile, value)
    if name == "crop":
        return _fill(Crop, value)
    if name == "tiles":
        return [_fill(Tile, tile) for tile in value]
    if name == "effects":
        return [_fill(Effect, _named(effect)) for effect in value]
    return value


def _named(data: Mapping[str, Any]) -> dict[str, Any]:
    return {field_name(name): _value(name, value) for name, value in data.items()}


def parse_event(line: str | bytes) -> Event:
    """Return the event of a line of JSON. Raises `FileUnusable` for other text."""
    try:
        data: dict[str, Any] = json.loads(line)
        own = {"name": data["event"], "data": data, "time": data["time"], "frame": data["frame"]}
        kind = KINDS.get(data["event"], Event)
        event: Event = _fill(kind, {**_named(data), **own})
        return event
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        shown = line if isinstance(line, str) else line.decode(errors="replace")
        raise FileUnusable(f"{shown[:80]!r} is no event; read lines that Flourish wrote") from error


def read_events(path: str | os.PathLike[str]) -> Iterator[Event]:
    """Iterate over the events of a file, as of `filter(…, events=path)`."""
    try:
        with open(path, "rb") as file:
            for line in file:
                yield parse_event(line)
    except OSError as error:
        raise FileUnavailable(f"{os.fspath(path)}: {error.strerror}; name a file of events") from error
