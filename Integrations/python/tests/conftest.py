import json
import os
import subprocess
from pathlib import Path

import pytest

import flourish

SCRIPT = {
    "width": 640,
    "height": 360,
    "rate": 30,
    "duration": 5,
    "cues": [{"time": 1.5, "pose": "victory", "hands": "both", "hold": 1.5, "expect": "confetti"}],
}


@pytest.fixture(scope="session")
def repository():
    return Path(__file__).parents[3]


@pytest.fixture(scope="session")
def call(tmp_path_factory):
    """A drawn recording in which both hands make the victory sign, which fires some 2.5 s after its start."""
    folder = tmp_path_factory.mktemp("call")
    (folder / "call.json").write_text(json.dumps(SCRIPT))
    subprocess.run(
        [flourish.program_path(), "puppet", "call.json", "call.mp4", "--progress", "none"], check=True, cwd=folder
    )
    return os.fspath(folder / "call.mp4")
