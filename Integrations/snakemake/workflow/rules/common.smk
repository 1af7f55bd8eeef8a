# The functions of the workflow.

import functools
import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import snakemake

# The path of a folder beside this workflow, on this machine and on workers that share it.
PACKAGE = config.get("package", str(Path(workflow.basedir).parent.parent / "archive"))
sys.path.insert(0, PACKAGE)
if find_spec("flourish_archive") is None:
    raise WorkflowError(
        f"{PACKAGE} has no package flourish_archive, and it is not installed; `package` names its folder"
    )
from flourish_archive import report as reports  # noqa: E402
from flourish_archive.archive import Archive  # noqa: E402
from flourish_archive.prepare import Prepared, prepare, unfinished  # noqa: E402
from flourish_archive.program import Program, Refused  # noqa: E402

RECORDS = Path("records")
REPORT = RECORDS / "report.json"

# With the gate, only plans that a person has put into reviewed/ are rendered.
PLANS = "reviewed" if config["gate"] else "records/plans"

# Snakemake 8 asks for conda whenever a job fails, used or not, and fails itself without it.
USES_CONDA = any(
    method.name == "CONDA" for method in workflow.deployment_settings.deployment_method
)
IS_OLD = int(snakemake.__version__.split(".")[0]) < 9
ENVIRONMENT = (
    None
    if IS_OLD and not USES_CONDA
    else str(Path(workflow.basedir, "envs/archive.yaml"))
)

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
    words = [
        "env",
        f"PYTHONPATH={PACKAGE}",
        config["python"],
        "-m",
        "flourish_archive.cli",
    ]
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
        return prepare(
            ARCHIVE,
            tuple(config["endings"]),
            config["refresh"],
            config["confirm_removal"],
            dry,
        )
    except Refused as error:
        raise WorkflowError(f"flourish-archive: {error}") from None


def record(*parts):
    """The path of an input, or of the file that stands for it in a dry run."""
    return str(prepared().or_pending(RECORDS.joinpath(*parts)))


def is_ready(call):
    return not config["gate"] or ARCHIVE.reviewed(call).exists()


@functools.cache
def calls_to_do():
    """The calls that need work. Snakemake would take minutes for a hundred thousand jobs, done or not."""
    is_forced = workflow.dag_settings.forceall or set(
        workflow.dag_settings.forcerun
    ) - {"all"}
    return (
        prepared().calls
        if is_forced
        else unfinished(ARCHIVE, prepared(), config["gate"])
    )


def everything(wildcards):
    calls = calls_to_do()[: config.get("batch_size")]
    return [
        str(ARCHIVE.record("checked" if is_ready(call) else "plans", call))
        for call in calls
    ]


def accepted(wildcards):
    is_part = "batch_size" in config and len(calls_to_do()) > config["batch_size"]
    outcomes = [*config["accept"], *([reports.UNFINISHED] if is_part else [])]
    return [f"--accept={outcome}" for outcome in outcomes]


def planned_from(wildcards):
    return {
        "source": record("sources", f"{wildcards.id}.json"),
        "settings": record("settings", "plan.json"),
    }


def rendered_from(wildcards):
    inputs = {
        "plan": f"{PLANS}/{wildcards.id}.json",
        "settings": record("settings", "render.json"),
    }
    deleted = RECORDS / "deleted" / f"{wildcards.id}.json"
    # In a dry run only: otherwise the result was removed.
    return inputs | {
        "deleted": str(path) for path in [prepared().pending.get(deleted)] if path
    }


def checked_from(wildcards):
    return {
        "result": f"records/results/{wildcards.id}.json",
        "settings": record("settings", "check.json"),
    }


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
        print(
            f"flourish-archive: {reports.line(summary)}; see {REPORT}", file=sys.stderr
        )
