"""What `diagnose curves` prints: a sparkline per figure, the diagnosis, the verdict."""

from rich.text import Text

from diagnose.engine.report import Report
from diagnose.engine.types import Severity
from diagnose.records import Records
from diagnose.render.sparkline import curves_of
from diagnose.render.text import diagnosis_lines, print_lines
from diagnose.terminal.console import console

VERDICTS = {0: ("NOTHING WRONG IN THESE CURVES", "green"), 1: ("THIS RUN IS NOT SOUND", "red")}


def show_curves(records: Records, report: Report, code: int) -> None:
    lines = [(0, Text(records.source, style="bold")), *((2, Text(line)) for line in curves_of(records))]
    lines += [(0, Text("")), (0, Text("DIAGNOSIS", style="bold")), *diagnosis_lines(report)]
    if not report.findings:
        lines.append((2, Text("nothing found")))
    print_lines([*lines, (0, Text("")), (0, _verdict(report, code))], console())


def _verdict(report: Report, code: int) -> Text:
    warnings = len(report.of(Severity.WARNING))
    words, colour = VERDICTS.get(code, ("TOO LITTLE TO TELL", "yellow"))
    if code == 0 and warnings:
        words, colour = "NO ERROR IN THESE CURVES", "yellow"
    return Text.assemble((words, f"bold {colour}"), f": {warnings} warning{'s' * (warnings != 1)}" if warnings else "")
