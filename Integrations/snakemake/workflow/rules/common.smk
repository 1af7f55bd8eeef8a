# The functions of the workflow.

import functools
import os
import shlex
import sys
from pathlib import Path

import snakemake

# The path of a folder beside this workflow, on this machine and on workers that share it.
PACKAGE = config.get("package", str(Path(workflow.basedir).parent.parent / "archive"))
sys.path.insert(0, PACKAGE)
from flourish_archive import report as reports  # noqa: E402
from flourish_archive.archive import Archive  # noqa: E402
from flourish_archive.prepare import Prepared, prepare  # noqa: E402
from flourish_archive.program import Program, Refused  # noqa: E402

RECORDS = Path("records")
REPORT = RECORDS / "report.json"

# With the gate, only plans that a person has put into reviewed/ are rendered.
PLANS = "reviewed" if config["gate"] else "records/plans"

# Snakemake 8 asks for conda whenever a job fails, used or not, and fails itself without it.
USES_CONDA = any(method.name == "CONDA" for method in workflow.deployment_settings.deployment_method)
IS_OLD = int(snakemake.__version__.split(".")[0]) < 9
ENVIRONMENT = None if IS_OLD and not USES_CONDA else str(Path(workflow.basedir, "envs/archive.yaml"))

ARCHIVE = Archive(
    source=os.fsencode(config["source"]),
    target=os.fsencode(config["target"]),
    work=RECORDS,
    program=Program(config["program"]),
    plan_options=tuple(shlex.split(config["plan_options"])),
    render_options=tuple(shlex.split(config["render_options"])),
    decode=config["decode"],
)


def archive(command, cores="1"):
    """The shell's words for a command of flourish-archive."""
    options = {
        "--source": config["source"],
        "--target": config["target"],
        "--work": str(RECORDS),
        "--program": config["program"],
        "--plan-options": config["plan_options"],
        "--render-options": config["render_options"],
    }
    words = ["env", f"PYTHONPATH={PACKAGE}", config["python"], "-m", "flourish_archive.cli"]
    words += [f"{name}={value}" for name, value in options.items()]
    words += ["--decode"] if config["decode"] else []
    # Snakemake would expand braces.
    quoted = " ".join(map(shlex.quote, words)).replace("{", "{{").replace("}", "}}")
    return f"{quoted} --cores {cores} {command}"


@functools.cache
def prepared():
    """The calls, for the main process; jobs elsewhere go by the records that it wrote.

    Input functions call it, since a dry run is not known as such before them.
    """
    if not workflow.is_main_process:
        return Prepared([])
    # Without an executor Snakemake only draws or lists.
    dry = workflow.executor_plugin is None or workflow.dryrun
    try:
        return prepare(ARCHIVE, tuple(config["endings"]), config["refresh"], config["confirm_removal"], dry)
    except Refused as error:
        raise WorkflowError(f"flourish-archive: {error}") from None


def place(*parts):
    return str(prepared().place(RECORDS.joinpath(*parts)))


def is_ready(identity):
    return not config["gate"] or Path("reviewed", f"{identity}.json").exists()


def everything(wildcards):
    kinds = ((call.id, "checked" if is_ready(call.id) else "plans") for call in prepared().calls)
    return [f"records/{kind}/{identity}.json" for identity, kind in kinds]


def planned_from(wildcards):
    return {"source": place("sources", f"{wildcards.id}.json"), "settings": place("settings", "plan.json")}


def rendered_from(wildcards):
    inputs = {"plan": f"{PLANS}/{wildcards.id}.json", "settings": place("settings", "render.json")}
    deleted = RECORDS / "deleted" / f"{wildcards.id}.json"
    # In a dry run only: otherwise the result was removed.
    return inputs | {"deleted": str(path) for path in [prepared().pending.get(deleted)] if path}


def checked_from(wildcards):
    return {"result": f"records/results/{wildcards.id}.json", "settings": place("settings", "check.json")}


def memory(wildcards, attempt):
    return config["memory_mb"] * attempt


def minutes(wildcards, attempt):
    return config["runtime_minutes"] * attempt


def attempt_number(wildcards, attempt):
    return attempt


def report_what_is_there():
    """Write the report of a run that did not come to it: some calls failed, or the run was a batch."""
    if not REPORT.exists():
        summary = reports.write(ARCHIVE, REPORT, config["gate"])
        print(f"flourish-archive: {reports.told(summary)}; see {REPORT}", file=sys.stderr)
