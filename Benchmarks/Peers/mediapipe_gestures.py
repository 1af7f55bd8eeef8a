"""Detects held gestures in videos with MediaPipe's canned gesture recogniser, like its users.

It runs six times a second, in video mode. A gesture is detected if any of up to two hands makes it
with a score of at least 0.5. It fires when every detection of the last HOLD seconds has it, and
again only after 0.8 s without it, 3 s after it fired last. The recogniser's
other classes (fist, open palm, pointing up, I love you) are ignored.

Prints one line of JSON a video: its duration, the CPU seconds for decoding (OpenCV) and detection
(without loading Python and the models), and for each HOLD the gestures that fired.

usage: mediapipe_gestures.py --model BUNDLE [--hold SECONDS]... VIDEO...
"""

import argparse
import io
import json
import os
import sys
import tempfile
import time
import zipfile

import cv2
import mediapipe
from mediapipe.tasks.python import BaseOptions, vision
from mediapipe.tasks.python.metadata.metadata_writers.metadata_writer import Labels, MetadataWriter
from mediapipe.tasks.python.metadata.metadata_writers.model_asset_bundle_utils import create_model_asset_bundle

# The classes of the canned classifier, in its order, which MediaPipe's guide of the recogniser gives.
CLASSES = [
    "None", "Closed_Fist", "Open_Palm", "Pointing_Up", "Thumb_Down", "Thumb_Up", "Victory", "ILoveYou"]
GESTURES = {"Thumb_Up": "thumbsUp", "Thumb_Down": "thumbsDown", "Victory": "victory"}
DETECTIONS_A_SECOND = 6
LEAST_SCORE = 0.5
RELEASE = 0.8
COOLDOWN = 3.0


def members(bundle):
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def canned(bundle, folder):
    """Returns the bundle with the canned classifier alone, labelled: one that Model Maker made also holds a
    classifier of custom gestures, which takes precedence, and the canned one without its labels."""
    parts = members(bundle)
    judges = members(io.BytesIO(parts["hand_gesture_recognizer.task"]))
    judges.pop("custom_gesture_classifier.tflite", None)
    name = "canned_gesture_classifier.tflite"
    # Labels are a ZIP archive behind the model.
    if not zipfile.is_zipfile(io.BytesIO(judges[name])):
        writer = MetadataWriter.create(bytearray(judges[name]))
        judges[name] = writer.add_classification_output(Labels().add(CLASSES)).populate()[0]
    inner, outer = os.path.join(folder, "judges.task"), os.path.join(folder, "gestures.task")
    create_model_asset_bundle(judges, inner)
    with open(inner, "rb") as file:
        parts["hand_gesture_recognizer.task"] = file.read()
    create_model_asset_bundle(parts, outer)
    return outer


class HoldState:
    """The hold state of one gesture."""

    def __init__(self, gesture, hold):
        # From the first of these detections to the last it is HOLD seconds.
        self.gesture, self.needed = gesture, round(hold * DETECTIONS_A_SECOND) + 1
        self.detections, self.since = 0, None
        self.is_spent, self.last_seen, self.last_fired = False, None, None

    def fires(self, is_seen, now):
        if not is_seen:
            self.detections = 0
            if self.is_spent and now - self.last_seen >= RELEASE:
                self.is_spent = False
            return False
        self.since = now if self.detections == 0 else self.since
        self.detections += 1
        self.last_seen = now
        if self.is_spent or self.detections < self.needed:
            return False
        if self.last_fired is not None and now - self.last_fired < COOLDOWN:
            return False
        self.is_spent, self.last_fired = True, now
        return True


def triggers(detections, hold):
    states = [HoldState(gesture, hold) for gesture in GESTURES.values()]
    return [
        {"gesture": state.gesture, "time": now, "heldSince": state.since}
        for now, seen in detections
        for state in states
        if state.fires(state.gesture in seen, now)
    ]


def gestures_in(picture, now, recogniser):
    image = mediapipe.Image(
        image_format=mediapipe.ImageFormat.SRGB, data=cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    hands = recogniser.recognize_for_video(image, round(now * 1000)).gestures
    best = [hand[0] for hand in hands if hand]
    return {GESTURES.get(judged.category_name) for judged in best if judged.score >= LEAST_SCORE}


def detect(path, model, holds):
    options = vision.GestureRecognizerOptions(
        base_options=BaseOptions(model_asset_path=model),
        running_mode=vision.RunningMode.VIDEO, num_hands=2)
    video = cv2.VideoCapture(path)
    video.set(cv2.CAP_PROP_ORIENTATION_AUTO, 1)
    detections, frames, now = [], 0, 0.0
    with vision.GestureRecognizer.create_from_options(options) as recogniser:
        start = time.process_time()
        while video.grab():
            frames += 1
            now = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            # The grid is fixed, so that the interval of detections does not depend on the frame rate.
            if now + 1e-6 >= len(detections) / DETECTIONS_A_SECOND:
                detections.append((now, gestures_in(video.retrieve()[1], now, recogniser)))
        cpu = time.process_time() - start
    return {
        "seconds": now * frames / max(1, frames - 1), "cpu": cpu,
        "holds": [{"hold": hold, "triggers": triggers(detections, hold)} for hold in holds],
    }


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--model", required=True)
    words.add_argument("--hold", type=float, action="append")
    words.add_argument("videos", nargs="+")
    asked = words.parse_args()
    # MediaPipe's log, a dozen lines a video, would hide errors; Python's own errors are still printed.
    sys.stderr = os.fdopen(os.dup(2), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with tempfile.TemporaryDirectory() as folder:
        model = canned(asked.model, folder)
        for path in asked.videos:
            print(json.dumps(detect(path, model, asked.hold or [1.0])), flush=True)


main()
