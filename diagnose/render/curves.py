"""What `diagnose curves` prints: a sparkline per figure, the diagnosis, the verdict."""

from rich.text import Text

from diagnose.common.progress import verbosity
from diagnose.curves.compare_runs import RunComparison, compare_runs
from diagnose.engine.report import Report
from diagnose.engine.types import Severity
from diagnose.records import Records
from diagnose.render.diagnosis import diagnosis_lines
from diagnose.render.lines import plural, print_lines
from diagnose.render.sparkline import curves_of
from diagnose.terminal.console import console

EVERY = 3  # of the stretches of equal length, every third one is shown
VERDICTS = {0: ("NO ERRORS IN THESE LOGS", "green"), 1: ("ERRORS IN THESE LOGS", "red")}


def show_curves(records: Records, report: Report, code: int, reference: Records | None = None) -> None:
    lines = [(0, Text(records.source, style="bold")), *((2, Text(line)) for line in curves_of(records))]
    if reference is not None:
        lines += [(0, Text("")), (0, Text(f"AGAINST {reference.source}", style="bold"))]
        lines += [(2, Text(line)) for line in comparison_lines(compare_runs(records, reference))]
    lines += [(0, Text("")), (0, Text("DIAGNOSIS", style="bold")), *diagnosis_lines(report, detail=verbosity.get())]
    if not report.findings:
        lines.append((2, Text("no findings")))
    print_lines([*lines, (0, Text("")), (0, _verdict(report, code))], console())


def comparison_lines(found: RunComparison) -> list[str]:
    """The loss at equal steps and the last common evaluation of each metric, of both runs."""
    rows = [
        (f"loss to step {step}", own, other)
        for step, own, other in zip(found.steps, found.own, found.other, strict=True)
    ]
    shown = rows[EVERY - 1 :: EVERY] or rows
    shown += [(f"eval {one.name}", one.own, one.other) for one in found.metrics]
    width = max((len(name) for name, *_ in shown), default=0)
    if not rows:
        return ["the two logs share no steps at which both have a loss"]
    return [f"{name:<{width}}  {own:10.4g}  against {other:10.4g}{_percent(own, other)}" for name, own, other in shown]


def _percent(own: float, other: float) -> str:
    return f"  {(own - other) / abs(other):+.0%}" if other else ""


def _verdict(report: Report, code: int) -> Text:
    warnings = len(report.of(Severity.WARNING))
    words, color = VERDICTS.get(code, ("INCONCLUSIVE", "yellow"))
    if code == 0 and warnings:
        color = "yellow"
    return Text.assemble((words, f"bold {color}"), f": {plural(warnings, 'warning')}" if warnings else "")
