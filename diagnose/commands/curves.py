"""`diagnose curves`: what the log of a run says, whichever trainer wrote it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from diagnose.commands.options import report_options, write_report
from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from diagnose.engine.report import Report
    from diagnose.records import Records

MIN_LOSSES = 10  # the steps on which a person should look hardest


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@report_options
@click.pass_context
def curves(context: click.Context, path: Path, **paths: Path | None) -> None:
    """Check the logs of a training run of any trainer.

    PATH is a trainer_state.json, a TensorBoard file, a CSV or JSONL file, or the directory of a run.

    Exit code 0 no error, 1 an error, 2 unreadable or too short to tell.
    """
    from diagnose.curves.read_log import read
    from diagnose.render.curves import show_curves

    records = read(path)
    report = judge_records(records)
    too_short = too_short_reason(records, report)
    show_curves(records, report, 2 if too_short else report.exit_code)
    write_report(report, f"Logs of {path.name}", **paths)
    if too_short:
        raise InputError(too_short)
    context.exit(report.exit_code)


def judge_records(records: "Records") -> "Report":
    """The steps stage over these records."""
    from diagnose.engine.engine import installed
    from diagnose.engine.runner import Selection
    from diagnose.engine.types import Stage

    engine = installed()
    return engine.examine(engine.context({"records": records}), Selection((Stage.STEPS,)))


def too_short_reason(records: "Records", report: "Report") -> str:
    """Why so few records allow no verdict; "" if they do, or if there is an error all the same."""
    losses = len(records.series("loss").values)
    if report.exit_code == 1 or losses >= MIN_LOSSES:
        return ""
    evaluations = len([row for row in records.rows if row.evaluation])
    beside = f" beside {evaluations} evaluations" if evaluations else ""
    remedy = "log every step, or train on" if losses else "log the training loss too"
    return f"{records.source}: found {losses} training losses{beside}, expected at least {MIN_LOSSES}; {remedy}"
