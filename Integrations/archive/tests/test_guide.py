"""The commands of the guide to the workflow, as they stand there, from an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import INTEGRATIONS, NAMES, everything
from test_snakemake import SNAKEMAKE, Workflow, few, pytestmark  # noqa: F401

GUIDE = (INTEGRATIONS / "snakemake/README.md").read_text()

# Makes an environment with the installed Snakemake instead of downloading one.
PYTHON = """#!/bin/bash
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin" && ln -s SNAKEMAKE "$3/bin/snakemake" && ln -s /bin/true "$3/bin/pip"
else
    exec PYTHON "$@"
fi
"""


def blocks(heading: str) -> list[str]:
    """Return the blocks of commands of a section."""
    section = re.search(rf"^## {heading}\n(.*?)^## ", GUIDE, re.MULTILINE | re.DOTALL)
    assert section
    return re.findall(r"^```\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a checkout, the programs `flourish` and `python3`, and nothing else."""
    home = tmp_path / "home"
    programs = home / "bin"
    programs.mkdir(parents=True)
    (home / "flourish").symlink_to(INTEGRATIONS.parent)
    (programs / "flourish").symlink_to(tmp_path / "fake")
    python = programs / "python3"
    python.write_text(PYTHON.replace("SNAKEMAKE", str(SNAKEMAKE)).replace("PYTHON", sys.executable))
    python.chmod(0o755)
    return home


def test_the_guide_works_from_an_empty_folder(few: Workflow, home: Path, tmp_path: Path) -> None:  # noqa: F811
    # A profile of the machine's user would stand in for the workflow's.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SNAKEMAKE", "XDG_CONFIG"))
    }
    environment |= {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin"}
    folder = home / "archive"

    def run(commands: str, cwd: Path) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", commands], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    prepare, start = blocks("Usage")
    run(prepare, home)
    assert [path.name for path in folder.iterdir()] == ["archive.yaml"]
    settings = (folder / "archive.yaml").read_text()
    for name, place in (("source", few.archive.source), ("target", few.archive.target)):
        settings, count = re.subn(rf"^{name}: .*$", f"{name}: {os.fsdecode(place)}", settings, flags=re.MULTILINE)
        assert count == 1
    (folder / "archive.yaml").write_text(settings)
    output = run(start, folder)
    assert f"workflow specific profile {home}/flourish/Integrations/snakemake/workflow/profiles/default" in output
    assert (folder / "records/report.json").exists()
    assert everything(few.archive.target).keys() == set(NAMES[:2])


def test_profiles_that_the_guide_names_exist() -> None:
    named = set(re.findall(r"workflow/profiles/(\w+)", GUIDE))
    there = {path.parent.name for path in (INTEGRATIONS / "snakemake/workflow/profiles").glob("*/config.yaml")}
    assert named == there == {"default", "slurm"}
