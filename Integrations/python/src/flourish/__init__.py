"""Hand-gesture reactions on recordings and on frames of one's own.

```python
import flourish

result = flourish.filter("call.mp4", "reacted.mp4")

with flourish.Processor(1280, 720) as processor:
    processor.process(frame, time)
```
"""

from ._library import version
from .errors import Error, FileUnavailable, FileUnusable, Finished, InvalidArgument, LateFrame, Unavailable
from .events import (
    Candidate,
    Crop,
    Effect,
    EffectEnded,
    EffectExtended,
    EffectsInProgress,
    EffectStarted,
    EncoderAdjusted,
    EncoderRecovered,
    Event,
    EventsLost,
    FrameRateChanged,
    Gesture,
    LayoutChanged,
    Photo,
    PhotoFailed,
    PhotoReadiness,
    Point,
    PropertyChanged,
    QualityChanged,
    Statistics,
    StreamEnded,
    StreamStarted,
    Tile,
    VideoEffectsChanged,
    Warned,
    parse_event,
    read_events,
)
from .processor import Processor
from .recordings import Plan, Result, detect, filter, plan, program_path

__all__ = [
    "Candidate",
    "Crop",
    "Effect",
    "EffectEnded",
    "EffectExtended",
    "EffectStarted",
    "EffectsInProgress",
    "EncoderAdjusted",
    "EncoderRecovered",
    "Error",
    "Event",
    "EventsLost",
    "FileUnavailable",
    "FileUnusable",
    "Finished",
    "FrameRateChanged",
    "Gesture",
    "InvalidArgument",
    "LateFrame",
    "LayoutChanged",
    "Photo",
    "PhotoFailed",
    "PhotoReadiness",
    "Plan",
    "Point",
    "Processor",
    "PropertyChanged",
    "QualityChanged",
    "Result",
    "Statistics",
    "StreamEnded",
    "StreamStarted",
    "Tile",
    "Unavailable",
    "VideoEffectsChanged",
    "Warned",
    "detect",
    "filter",
    "parse_event",
    "plan",
    "program_path",
    "read_events",
    "version",
]
