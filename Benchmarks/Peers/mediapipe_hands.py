"""Finds hands in videos with MediaPipe's Python Hands, like its users: video mode, every frame.

Prints one line of JSON a video: the number of hands in each frame, and the CPU seconds for
decoding (OpenCV) and detection. Loading Python and the models is not counted.

usage: mediapipe_hands.py VIDEO...
"""

import json
import sys
import time

import cv2
import mediapipe


def watch(path):
    hands = mediapipe.solutions.hands.Hands(static_image_mode=False, max_num_hands=2)
    video = cv2.VideoCapture(path)
    times, counts = [], []
    # The first picture includes loading the models; it is not counted.
    hands.process(video.read()[1])
    hands.reset()
    video.set(cv2.CAP_PROP_POS_FRAMES, 0)
    start = time.process_time()
    while True:
        good, picture = video.read()
        if not good:
            break
        times.append(video.get(cv2.CAP_PROP_POS_MSEC) / 1000)
        found = hands.process(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)).multi_hand_landmarks
        counts.append(len(found or []))
    return {"times": times, "hands": counts, "cpu": time.process_time() - start}


for path in sys.argv[1:]:
    print(json.dumps(watch(path)), flush=True)
