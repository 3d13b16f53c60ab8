"""What `diagnose curves` prints: a sparkline per figure, the diagnosis, the verdict."""

from rich.text import Text

from diagnose.common.progress import verbosity
from diagnose.engine.report import Report
from diagnose.engine.types import Severity
from diagnose.records import Records
from diagnose.render.diagnosis import diagnosis_lines
from diagnose.render.lines import plural, print_lines
from diagnose.render.sparkline import curves_of
from diagnose.terminal.console import console

VERDICTS = {0: ("NO ERRORS IN THESE LOGS", "green"), 1: ("ERRORS IN THESE LOGS", "red")}


def show_curves(records: Records, report: Report, code: int) -> None:
    lines = [(0, Text(records.source, style="bold")), *((2, Text(line)) for line in curves_of(records))]
    lines += [(0, Text("")), (0, Text("DIAGNOSIS", style="bold")), *diagnosis_lines(report, detail=verbosity.get())]
    if not report.findings:
        lines.append((2, Text("no findings")))
    print_lines([*lines, (0, Text("")), (0, _verdict(report, code))], console())


def _verdict(report: Report, code: int) -> Text:
    warnings = len(report.of(Severity.WARNING))
    words, color = VERDICTS.get(code, ("INCONCLUSIVE", "yellow"))
    if code == 0 and warnings:
        color = "yellow"
    return Text.assemble((words, f"bold {color}"), f": {plural(warnings, 'warning')}" if warnings else "")
