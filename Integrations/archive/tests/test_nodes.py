"""Two nodes that share the folders: processes with host names and process numbers of their own, on one machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import alone, is_like

from flourish_archive import report
from flourish_archive.archive import Archive
from flourish_archive.inventory import Call, Inventory
from flourish_archive.prepare import prepare

ALONE = ["unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
pytestmark = pytest.mark.skipif(
    subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0, reason="namespaces cannot be made here"
)

PROCESS = """
import os, sys
from pathlib import Path
from flourish_archive import Archive, Program, prepare, rows
archive = Archive(os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2]), Path(sys.argv[3]), Program(sys.argv[4]))
print(os.uname().nodename, os.getpid(), flush=True)
sys.stdin.readline()
for _ in range(5):
    calls = prepare(archive, refresh=True).calls
for call in calls:
    assert rows.process(archive, call, rows.Retries(tries=5, pause=0.05))["state"] == "done"
"""


def node(name: str, archive: Archive) -> subprocess.Popen[str]:
    """Start a node that takes the inventory several times, and processes all calls, as soon as it gets a line."""
    words = [os.fsdecode(archive.source), os.fsdecode(archive.target), str(archive.work), archive.program.path]
    return subprocess.Popen(
        [*ALONE, "sh", "-c", 'hostname "$0" && exec "$@"', name, sys.executable, "-c", PROCESS, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        text=True,
    )


@pytest.mark.parametrize("names", [("one", "two"), ("same", "same")])
def test_nodes_do_not_collide(archive: Archive, names: tuple[str, str], tmp_path: Path) -> None:
    """Containers of one image may have equal host names, too."""
    nodes = [node(name, archive) for name in names]
    said = [made.stdout.readline().split() for made in nodes if made.stdout]
    # The processes have equal numbers, so that these cannot keep names apart.
    assert [name for name, _ in said] == list(names) and said[0][1] == said[1][1]
    for made in nodes:
        assert made.stdin
        made.stdin.write("\n")
        made.stdin.flush()
    listed = archive.work / "calls.jsonl"
    while any(made.poll() is None for made in nodes):
        # A reader sees the whole list at any time.
        assert len([Call.from_record(json.loads(line)) for line in listed.read_text().splitlines()]) == 6
    for made in nodes:
        _, errors = made.communicate()
        assert made.returncode == 0, errors
    assert is_like(archive, alone(archive, tmp_path / "alone"))
    assert report.write(archive, archive.work / "report.json")["done"] == 6
    left = [path for path in archive.work.rglob(".*")] + list(Path(os.fsdecode(archive.target)).glob(".*"))
    assert left == [] and not (archive.work / "scratch").exists()
    assert prepare(archive, refresh=True).calls == list(Inventory(archive.work).calls())
