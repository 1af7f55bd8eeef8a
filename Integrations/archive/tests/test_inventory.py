"""The inventory and the start of a workflow: what is written, and what is refused."""

import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import NAMES, everything

from flourish_archive import cli
from flourish_archive.archive import Archive
from flourish_archive.files import read_json, write_json
from flourish_archive.inventory import Inventory
from flourish_archive.prepare import prepare
from flourish_archive.program import Refused


def test_only_what_has_changed_gets_another_record(archive: Archive) -> None:
    inventory = Inventory(archive.work)
    calls = prepare(archive, refresh=True).calls
    times = {call.path: inventory.source(call.id).stat().st_mtime_ns for call in calls}
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"longer than before")
    changed = [
        call.path
        for call in prepare(archive, refresh=True).calls
        if inventory.source(call.id).stat().st_mtime_ns != times[call.path]
    ]
    assert changed == [b"a.mp4"]


@pytest.mark.parametrize("left", [0, 2])
def test_a_share_that_is_not_mounted_is_refused(archive: Archive, left: int) -> None:
    before = everything(os.fsencode(archive.work))
    for name in NAMES[left:]:
        os.remove(os.path.join(archive.source, name))
    with pytest.raises(Refused, match=f"would fall from 6 calls to {left}"):
        prepare(archive, refresh=True)
    assert everything(os.fsencode(archive.work)) == before
    assert len(prepare(archive, refresh=True, confirmed=True).calls) == left
    assert len(list(Inventory(archive.work).removed())) == len(NAMES) - left


def test_a_few_calls_less_need_no_confirmation(archive: Archive) -> None:
    for name in NAMES[3:]:
        os.remove(os.path.join(archive.source, name))
    assert len(prepare(archive, refresh=True).calls) == 3


@pytest.mark.parametrize("gone", [True, False])
def test_a_first_inventory_without_calls_is_refused(archive: Archive, gone: bool) -> None:
    shutil.rmtree(archive.source)
    if not gone:
        os.mkdir(archive.source)
    shutil.rmtree(archive.work)
    command = [f"--source={os.fsdecode(archive.source)}", "--target=x", f"--work={archive.work}"]
    assert cli.main([*command, f"--program={archive.program.path}", "start"]) == 69
    assert not (archive.work / "calls.jsonl").exists()


def test_a_dry_run_writes_nothing_and_shows_what_a_real_one_finds(archive: Archive) -> None:
    os.makedirs(archive.target, exist_ok=True)
    Path(os.fsdecode(archive.source), "a.mp4").write_bytes(b"longer than before")
    Path(os.fsdecode(archive.source), "new.mp4").write_bytes(b"new")
    before = everything(os.fsencode(archive.work.parent))
    other = replace(archive, plan_options=("--hold", "2"))
    made = prepare(other, refresh=True, dry=True)
    assert everything(os.fsencode(archive.work.parent)) == before
    inventory = Inventory(archive.work)
    for call in made.calls:
        is_new = call.path in (b"a.mp4", b"new.mp4")
        assert (made.or_pending(inventory.source(call.id)) != inventory.source(call.id)) == is_new
    assert made.or_pending(archive.settings_record("plan")) != archive.settings_record("plan")
    assert made.or_pending(archive.settings_record("render")) == archive.settings_record("render")
    assert made.folder is not None
    folder = Path(made.folder.name)
    assert folder.is_dir()
    made.folder.cleanup()


def test_writers_of_one_file_do_not_collide(tmp_path: Path) -> None:
    """Processes on several nodes may have equal numbers: threads have, too."""
    path = tmp_path / "record.json"
    threads = [
        threading.Thread(target=lambda: [write_json(path, {"a": "b" * 5000}) for _ in range(50)]) for _ in "1234"
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            assert read_json(path) == {"a": "b" * 5000}
    assert [entry.name for entry in tmp_path.iterdir()] == ["record.json"]


def test_workflows_have_different_keys(archive: Archive, tmp_path: Path) -> None:
    other = replace(archive, work=tmp_path / "other")
    assert archive.video_scratch() != other.video_scratch()
    assert archive.video_scratch() == replace(archive).video_scratch()
    # Workers that start at once agree.
    third = replace(archive, work=tmp_path / "third")
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(third.video_scratch())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 8
