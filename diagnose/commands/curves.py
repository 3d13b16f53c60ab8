"""`diagnose curves`: what the log of a run says, whichever trainer wrote it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from diagnose.commands.options import report_options
from diagnose.common.errors import InputError
from diagnose.terminal import terminal

if TYPE_CHECKING:
    from rich.text import Text

    from diagnose.engine.report import Report
    from diagnose.records import Records

LEAST = 10  # training records: the steps on which a person should look hardest
VERDICTS = {0: ("NOTHING WRONG IN THESE CURVES", "green"), 1: ("THIS RUN IS NOT SOUND", "red")}


@click.command(cls=terminal.Command)
@click.argument("path", type=click.Path(path_type=Path))
@report_options
@click.pass_context
def curves(context: click.Context, path: Path, **paths: Path | None) -> None:
    """Looks at a finished or running training: trainer_state.json, TensorBoard files, CSV or JSONL, or a run's folder.

    Exit code 0 nothing wrong, 1 an error, 2 unreadable or too short to tell.
    """
    from diagnose.cli import write
    from diagnose.curves.read_log import read

    records = read(path)
    report = judge_records(records)
    too_short = too_short_reason(records, report)
    show(records, report, 2 if too_short else report.exit_code)
    write(report, **paths)
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
    """Why no verdict can stand on so few records; nothing when one can, or when an error is plain all the same."""
    losses = len(records.series("loss").values)
    if report.exit_code == 1 or losses >= LEAST:
        return ""
    evaluations = len([row for row in records.rows if row.evaluation])
    beside = f" beside {evaluations} evaluations" if evaluations else ""
    remedy = "log every step, or train on" if losses else "log the training loss too"
    return f"{records.source}: found {losses} training losses{beside}, expected at least {LEAST}; {remedy}"


def show(records: "Records", report: "Report", code: int) -> None:
    from rich.text import Text

    from diagnose.render.sparkline import curves_of
    from diagnose.render.text import outcome_lines, print_lines

    lines = [(0, Text(records.source, style="bold")), *((2, Text(line)) for line in curves_of(records))]
    lines += [(0, Text("")), (0, Text("DIAGNOSIS", style="bold"))]
    for root in report.diagnosis:
        lines += [(0, Text("")), *outcome_lines(root.outcome, None)]
        for outcome in root.consequences:
            lines += outcome_lines(outcome, None, indent=4, lead="-> ")
    if not report.findings:
        lines.append((2, Text("nothing found")))
    print_lines([*lines, (0, Text("")), (0, _verdict(report, code))], terminal.console())


def _verdict(report: "Report", code: int) -> "Text":
    from rich.text import Text

    warned = len([f for f in report.findings if f.severity == "warning"])
    words, colour = VERDICTS.get(code, ("TOO LITTLE TO TELL", "yellow"))
    if code == 0 and warned:
        words, colour = "NO ERROR IN THESE CURVES", "yellow"
    return Text.assemble((words, f"bold {colour}"), f": {warned} warning{'s' * (warned != 1)}" if warned else "")
