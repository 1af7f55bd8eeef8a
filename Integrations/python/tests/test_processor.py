"""Settings, control and events of a processor."""

import dataclasses
import json
import re

import numpy as np
import pytest

import flourish
from flourish import events

PLAIN = {"recognition": {"gestures": False}}
FRAME = np.full((90, 160, 3), 100, np.uint8)


def processed(processor, times):
    for each in times:
        processor.process(FRAME.copy(), each)
    return list(processor.events())


def test_an_effect_and_its_events():
    with flourish.Processor(160, 90, settings=PLAIN) as processor:
        assert set(processor.reactions) >= {"confetti", "heart", "thumbsUp"}
        assert [type(event) for event in processed(processor, [0])] == [flourish.StreamStarted]
        processor.perform("heart", at=(0.25, 0.75))
        started, progress = processed(processor, [0.1])
        assert isinstance(started, flourish.EffectStarted)
        assert started.reaction_type == "heart" and started.trigger == "request" and started.time == 0.1
        assert started.origin == flourish.Point(0.25, 0.75) and started.frame == 1
        assert started.data["systemImageName"] == started.system_image_name
        assert isinstance(progress, flourish.EffectsInProgress)
        assert [effect.id for effect in progress.effects] == [started.id]
        processor.cancel(effect=started.id)
        ended, _ = processed(processor, [0.2])
        assert isinstance(ended, flourish.EffectEnded) and ended.id == started.id
        processor.perform("rain")
        processor.perform("confetti")
        processed(processor, [0.3])
        processor.cancel("rain")
        assert [
            each.reaction_type for each in processed(processor, [0.4]) if isinstance(each, flourish.EffectEnded)
        ] == ["rain"]
        processor.cancel()
        processor.finish()
        *_, last = processor.events()
        assert isinstance(last, flourish.StreamEnded)
        assert last.effect_counts == {"heart": 1, "rain": 1, "confetti": 1}


def test_a_gesture_fires(call):
    """The frames of a drawn recording, in synchrony and beside the frames."""
    cv2 = pytest.importorskip("cv2")
    for live in (False, True):
        capture = cv2.VideoCapture(call)
        found = []
        with flourish.Processor(640, 360, live=live) as processor:
            index = 0
            while True:
                there, frame = capture.read()
                if not there:
                    break
                processor.process(frame, index / 30)
                found += processor.events()
                index += 1
        assert index == 150
        if not live:
            # A program that reads a file is faster than the thread of recognition: only synchronous runs are exact.
            (gesture,) = [event for event in found if isinstance(event, flourish.Gesture)]
            assert gesture.gesture == "twoVictories" and gesture.hands == 2
            assert 1 < gesture.held_since < 1.7 and 2 < gesture.time < 3


def test_switches():
    with flourish.Processor(160, 90, settings=PLAIN) as processor:
        assert processor.reactions_enabled and not processor.gestures_enabled
        processor.reactions_enabled = False
        assert not processor.reactions_enabled
        processor.perform("heart")
        assert not processor.process(FRAME.copy(), 0)
        with pytest.raises(flourish.Unavailable, match=r"recognition\.gestures"):
            processor.gestures_enabled = True
        processor.set_gesture("victory", False)
        processor.snooze(60)
        processor.snooze(0)


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((0, 90), {}, "1 to 16384"),
        ((160, -1), {}, "1 to 16384"),
        ((2**40, 90), {}, "1 to 16384"),
        ((160, 90, "yuyv422"), {}, "not a pixel format"),
        ((160, 90), {"recognition": {"hold": 60}}, r"recognition\.hold must be a number from 0 to 10"),
        ((160, 90), {"recognition": {"hld": 1}}, r"did you mean recognition\.hold\?"),
        ((160, 90), {"recognition": {"hold": {1, 2}}}, "no form in JSON"),
        ((160, 90), {"encoding": {"crf": 20}}, "no effect on frames"),
    ],
)
def test_wrong_settings_are_refused(arguments, settings, message):
    with pytest.raises(flourish.InvalidArgument, match=message):
        flourish.Processor(*arguments, settings=settings)


def test_wrong_calls_are_refused():
    with flourish.Processor(160, 90, settings=PLAIN) as processor:
        for call, message in [
            (lambda: processor.perform("konfetti"), "konfetti"),
            (lambda: processor.perform("con\0fetti"), "null character"),
            (lambda: processor.perform("heart", at=(2, 0)), "outside of the picture"),
            (lambda: processor.cancel("konfetti"), "konfetti"),
            (lambda: processor.cancel(effect=7), "7"),
            (lambda: processor.set_gesture("wave", True), "wave"),
            (lambda: processor.snooze(-1), "the duration is -1 s; use 0 to 86400 s"),
            (lambda: processor.snooze(1e6), "the duration is 1000000 s"),
            (lambda: processor.snooze(float("nan")), "nan"),
        ]:
            with pytest.raises(flourish.InvalidArgument, match=message):
                call()
    for call in (lambda: processor.process(FRAME.copy(), 0), lambda: list(processor.events()), processor.finish):
        with pytest.raises(flourish.InvalidArgument, match="destroyed"):
            call()
    with pytest.raises(flourish.FileUnavailable, match=r"nowhere/x\.toml"):
        flourish.Processor(160, 90, settings={"processor": {"configuration": "/nowhere/x.toml"}})
    processor.close()


def test_messages_have_the_unit_of_the_arguments():
    with flourish.Processor(160, 90, settings=PLAIN) as processor:
        processor.process(FRAME.copy(), 2.5)
        for time, text in [(2.5, "2.5"), (0, "0"), (-1.25, "-1.25"), (1 / 3, "0.333333333")]:
            with pytest.raises(flourish.LateFrame, match=f"the time {re.escape(text)} s is not after 2.5 s,"):
                processor.process(FRAME.copy(), time)


def test_the_version_is_that_of_the_package():
    metadata = pytest.importorskip("importlib.metadata")
    try:
        installed = metadata.version("flourish")
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    assert flourish.version() == installed


def test_every_event_of_the_schema_has_a_class(repository):
    """The fields of the classes are those of docs/events.schema.json."""
    schema = json.loads((repository / "docs" / "events.schema.json").read_text())
    kinds = {}
    for rule in schema["allOf"]:
        name = rule["if"]["properties"]["event"]
        for each in name.get("enum") or [name["const"]]:
            kinds[each] = rule["then"]
    assert set(kinds) == set(schema["properties"]["event"]["examples"]) == set(events.KINDS)
    for name, rule in kinds.items():
        fields = {each.name: each for each in dataclasses.fields(events.KINDS[name])}
        own = {events.field_name(field): field for field in rule["properties"]}
        assert set(own) == set(fields) - {"time", "frame", "name", "data"}, name
        optional = {each.name for each in fields.values() if each.default is not dataclasses.MISSING}
        required = {events.field_name(field) for field in rule["required"]}
        # An effect has no end when it starts.
        assert required - {"end_time"} == set(own) - optional - {"end_time"}, name
    state = schema["$defs"]["effectState"]["properties"]
    assert {events.field_name(name) for name in state} == {each.name for each in dataclasses.fields(events.Effect)}


def test_unknown_events_and_fields_are_kept():
    event = flourish.parse_event('{"schema":1,"event":"sneeze","time":1.5,"frame":3,"loud":true}')
    assert type(event) is flourish.Event and event.name == "sneeze" and event.data["loud"]
    event = flourish.parse_event('{"schema":1,"event":"eventsLost","time":1,"frame":3,"count":2,"new":1}')
    assert event == flourish.EventsLost(1, 3, "eventsLost", {}, 2)
    for text in ("", "{}", "[1]", "{", '{"event": "gesture", "time": 1, "frame": 2}', b"\xff"):
        with pytest.raises(flourish.FileUnusable):
            flourish.parse_event(text)
