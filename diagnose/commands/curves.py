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
@click.option("--against", type=click.Path(path_type=Path), metavar="PATH", help="The log of a run known to be good.")
@report_options
@click.pass_context
def curves(context: click.Context, path: Path, against: Path | None, **paths: Path | None) -> None:
    """Check the logs of a training run of any trainer.

    PATH is a trainer_state.json, a TensorBoard file, a CSV or JSONL file, or the directory of a run.

    --against compares it with a run known to be good: the loss at equal steps, and the metrics.

    Exit code 0 no error, 1 an error, 2 unreadable or too short to tell.
    """
    from diagnose.curves.read_log import read
    from diagnose.render.curves import show_curves

    records, reference = read(path), None if against is None else read(against)
    report = judge_records(records, reference)
    too_short = too_short_reason(records, report)
    show_curves(records, report, 2 if too_short else report.exit_code, reference)
    write_report(report, f"Logs of {path.name}", **paths)
    if too_short:
        raise InputError(too_short)
    context.exit(report.exit_code)


def judge_records(records: "Records", reference: "Records | None" = None) -> "Report":
    """The steps stage over these records, and beside those of a run known to be good."""
    from diagnose.engine.engine import installed
    from diagnose.engine.runner import Selection
    from diagnose.engine.types import Stage

    engine = installed()
    facts = {"records": records} | ({} if reference is None else {"reference_records": reference})
    return engine.examine(engine.context(facts), Selection((Stage.STEPS,)))


def too_short_reason(records: "Records", report: "Report") -> str:
    """Why so few records allow no verdict; "" if they do, or if there is an error all the same."""
    losses = len(records.series("loss").values)
    if report.exit_code == 1 or losses >= MIN_LOSSES:
        return ""
    evaluations = len([row for row in records.rows if row.evaluation])
    beside = f" beside {evaluations} evaluations" if evaluations else ""
    remedy = "log every step, or train on" if losses else "log the training loss too"
    return f"{records.source}: found {losses} training losses{beside}, expected at least {MIN_LOSSES}; {remedy}"
