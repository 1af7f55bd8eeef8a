"""Lays an overlay over its recording on a timeline for MLT: from the markers of a plan, which name the recording, to a
project that melt renders. Needs OpenTimelineIO and its adapter for MLT (pip install opentimelineio otio-mlt-adapter).

usage: python3 overlay-timeline.py markers.otio effects.mkv call.mlt
"""

import copy
import sys

import opentimelineio as otio

markers, overlay, result = sys.argv[1:]
timeline = otio.adapters.read_from_file(markers)
recording = next(track for track in timeline.tracks if track.kind == "Video")
above = copy.deepcopy(recording)
for track, name in ((recording, "call"), (above, "effects")):
    # MLT finds things by their names, so no two may have the same.
    track.name = name + " track"
    for clip in track.find_clips():
        clip.markers.clear()
        clip.name = clip.media_reference.name = name
        path = overlay if track is above else clip.media_reference.target_url.removeprefix("file://")
        clip.media_reference.target_url = path
timeline.tracks[:] = [recording, above]
# Track 0 is a black ground, which the adapter adds.
lay = ('<transition><property name="mlt_service">affine</property>'
       '<property name="a_track">1</property><property name="b_track">2</property></transition>')
with open(result, "w", encoding="utf-8") as file:
    file.write(otio.adapters.write_to_string(timeline, "mlt_xml").replace("</tractor>", lay + "</tractor>"))
