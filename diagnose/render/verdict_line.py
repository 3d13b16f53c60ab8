"""The last line: may the run start?"""

from rich.text import Text

from diagnose.engine.report import Report
from diagnose.engine.types import Severity, Status, Verdict


def banner(report: Report) -> Text:
    headline, colour = _headline(report)
    words = {Status.FOUND: "passed with a note"} if report.clean else {}
    told = [(len(report.having(status)), words.get(status, status)) for status in Status]
    counts = ", ".join(f"{count} {word}" for count, word in told if count)
    part = "" if report.selection.full else "; only a full preflight opens the gate"
    return Text.assemble((headline, f"bold {colour}"), f": {counts or 'nothing looked'}{part}")


def _headline(report: Report) -> tuple[str, str]:
    if report.verdict is Verdict.NO_GO:
        return "DO NOT START TRAINING", "red"
    if report.verdict is Verdict.CANNOT_VOUCH:
        return "CANNOT VOUCH FOR THIS RUN", "yellow"
    if report.clean:
        return "ALL CHECKS PASSED", "green"
    warnings, ignored = len(report.of(Severity.WARNING)), len(report.selection.ignored)
    but = [f"{warnings} warning{'s' * (warnings != 1)}"] * bool(warnings) + [f"{ignored} ignored"] * bool(ignored)
    return f"GO, with {' and '.join(but)}", "yellow"
