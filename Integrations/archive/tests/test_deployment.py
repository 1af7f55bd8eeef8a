"""Containers, conda and the workflow catalogue, with stand-ins for `apptainer` and `conda`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import INTEGRATIONS
from test_snakemake import SNAKEMAKE, Workflow, few, pytestmark  # noqa: F401

JOBS = 2 * 3 + 1
"""Three for each of two calls, and the report."""

CONDA = """#!/bin/bash
case "$*" in
    --version) echo "conda 24.7.1" ;;
    "info --json") echo '{"conda_version": "24.7.1", "platform": "linux-64", "conda_prefix": "ROOT"}' ;;
    *channel_priority*) echo '{"get": {"channel_priority": "strict"}, "success": true, "warnings": []}' ;;
    *"env create"*)
        echo create >>"ROOT/log"
        while [ $# -gt 0 ]; do [ "$1" = --prefix ] && mkdir -p "$2/bin"; shift; done ;;
esac
"""

APPTAINER = """#!/bin/bash
case $1 in
    --version) echo "apptainer version 1.3.0" ;;
    exec)
        echo "exec $*" >>"ROOT/log"
        while [ "$1" != bash ]; do shift; done
        exec "$@" ;;
esac
"""


def stand_in(folder: Path, name: str, text: str) -> dict[str, str]:
    (folder / "bin").mkdir()
    program = folder / "bin" / name
    program.write_text(text.replace("ROOT", str(folder)))
    program.chmod(0o755)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def test_jobs_run_in_the_environment(few: Workflow, tmp_path: Path) -> None:  # noqa: F811
    environment = stand_in(tmp_path, "conda", CONDA)
    (tmp_path / "bin/activate").write_text(f'echo activate >>"{tmp_path}/log"\n')
    code, output = few.run("--software-deployment-method", "conda", environment=environment)
    assert code == 0, output
    assert sorted((tmp_path / "log").read_text().split()) == ["activate"] * JOBS + ["create"]


def test_jobs_run_in_the_image(few: Workflow, tmp_path: Path) -> None:  # noqa: F811
    environment = stand_in(tmp_path, "apptainer", APPTAINER)
    # Snakemake 8 runs it by its older name.
    (tmp_path / "bin/singularity").symlink_to("apptainer")
    image = tmp_path / "flourish.sif"
    image.touch()
    code, output = few.run("--software-deployment-method", "apptainer", environment=environment, container=str(image))
    assert code == 0, output
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == JOBS and all(str(image) in line for line in lines)


def test_a_repository_of_its_own_is_as_the_catalogue_wants_it(tmp_path: Path) -> None:
    """The catalogue lints a clone of the repository with its own configuration, and checks the format."""
    assert SNAKEMAKE
    if subprocess.check_output([SNAKEMAKE, "--version"], text=True).startswith("8."):
        pytest.skip("the environments for conda are left out for Snakemake 8")
    clone = shutil.copytree(INTEGRATIONS / "snakemake", tmp_path / "clone")
    for name in ("workflow/Snakefile", "config/README.md", ".snakemake-workflow-catalog.yml"):
        assert (clone / name).is_file()
    readme = (clone / "README.md").read_text().lower()
    assert "snakemake" in readme and "workflow" in readme
    without = subprocess.run([SNAKEMAKE, "--lint"], cwd=clone, capture_output=True, text=True)
    assert without.returncode != 0 and "`package` names its folder" in without.stderr, without.stderr
    installed = {**os.environ, "PYTHONPATH": str(INTEGRATIONS / "archive")}
    linted = subprocess.run([SNAKEMAKE, "--lint"], cwd=clone, env=installed, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stderr


@pytest.mark.skipif(shutil.which("snakefmt") is None, reason="snakefmt is not installed")
def test_the_workflow_is_formatted() -> None:
    checked = subprocess.run(
        ["snakefmt", "--check", str(INTEGRATIONS / "snakemake/workflow")], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
