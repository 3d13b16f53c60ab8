"""The verdict in one line, and the next command."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from diagnose.engine.types import Stage, Status, Verdict
from diagnose.render.diagnosis import counted
from diagnose.render.lines import plural

if TYPE_CHECKING:
    from diagnose.engine.report import Report


def verdict_line(report: "Report") -> Text:
    """May the run start, from how many checks, and the first error or what is missing."""
    headline, color = _headline(report)
    return Text.assemble((headline, f"bold {color}"), f": {', '.join(counts(report))}{_reason(report)}")


def counts(report: "Report") -> Iterator[str]:
    """Errors, warnings and notes apart, then the checks that ran and those that broke."""
    yield from counted(report.findings)
    ran = sum(outcome.ran for outcome in report.outcomes)
    yield f"{plural(ran, 'check')} run in {report.elapsed:.1f} s"
    for status in (Status.BLOCKED, Status.CRASHED):
        if number := len(report.having(status)):
            yield f"{number} {status}"
    if report.selection.ignored:
        yield f"{len(report.selection.ignored)} ignored"


def _headline(report: "Report") -> tuple[str, str]:
    starts = report.selection.full and any(outcome.stage is not Stage.STEPS for outcome in report.outcomes)
    if report.verdict is Verdict.NO_GO:
        return "DO NOT START TRAINING", "red"
    if report.verdict is Verdict.INCONCLUSIVE:
        return "INCONCLUSIVE", "yellow"
    if report.clean:
        return ("ALL CHECKS PASSED - READY TO TRAIN" if starts else "ALL CHECKS PASSED"), "green"
    return ("READY TO TRAIN" if starts else "NO ERROR FOUND"), "yellow"


def _reason(report: "Report") -> str:
    if report.verdict is Verdict.NO_GO:
        root = report.diagnosis[0].finding
        return f"; {root.probe} at {root.place}: {root.singles[0].message}"
    if report.verdict is Verdict.INCONCLUSIVE:
        return f"; {report.why_inconclusive}"
    whole = report.selection.full or report.selection.stages == (Stage.STEPS,)
    return "" if whole else "; only a full preflight opens the gate"


def next_command(report: "Report", on_go: str = "") -> str:
    """What to type now; "" where that is not known."""
    if report.verdict is Verdict.NO_GO:
        return f"diagnose explain {report.diagnosis[0].probe}"
    return on_go if report.verdict is Verdict.GO else ""
