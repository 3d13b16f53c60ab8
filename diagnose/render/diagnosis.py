"""What was found: root causes with number, place and fix, each with its consequences beneath."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from diagnose.common.progress import Verbosity
from diagnose.engine.root_causes import SHOWN, RootCause, by_severity
from diagnose.engine.types import Finding, Outcome, Severity
from diagnose.render.lines import COLORS, Line, plural

if TYPE_CHECKING:
    from diagnose.engine.report import Report
    from diagnose.gate.output_folder import PreflightFolder

FULL = 5  # root causes shown with message and fix; the others are one line each, unless -v
NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def diagnosis_lines(
    report: "Report", folder: "PreflightFolder | None" = None, detail: Verbosity = Verbosity.NORMAL
) -> Iterator[Line]:
    """The root causes, most severe first. Notes are shown by -v, findings of every row by -vv."""
    verbose = detail > Verbosity.NORMAL
    roots = [root for root in report.diagnosis if verbose or root.severity is not Severity.NOTE]
    for number, root in enumerate(roots, 1):
        if number > FULL and not verbose:
            yield _head(root.finding, f"{number}. ")
            continue
        yield from _outcome_lines(root.outcome, folder, detail, f"{number}. ")
        yield from _consequences(root, folder, detail)


def _consequences(root: RootCause, folder: "PreflightFolder | None", detail: Verbosity) -> Iterator[Line]:
    if detail > Verbosity.NORMAL:
        for outcome in root.consequences:
            yield from _outcome_lines(outcome, folder, detail, "-> ", 5)
    elif root.consequences:
        names = ", ".join(outcome.probe for outcome in root.consequences)
        yield 5, Text(f"leads to: {names} ({', '.join(counted(root.explains))})", style="dim")


def counted(findings: Sequence[Finding]) -> Iterator[str]:
    """`1 error`, `2 warnings`: findings of one probe with one fix count once."""
    for severity, noun in NOUNS.items():
        number = len({(one.probe, one.fix) for one in findings if one.severity is severity})
        if number:
            yield plural(number, noun)


def _head(finding: Finding, lead: str, indent: int = 0) -> Line:
    severity = finding.severity or Severity.ERROR
    return indent, Text.assemble(lead, (f"{finding.probe} {severity}", COLORS[severity]), f"  {finding.where}")


def _outcome_lines(
    outcome: Outcome, folder: "PreflightFolder | None", detail: Verbosity, lead: str, indent: int = 0
) -> Iterator[Line]:
    """One probe's findings: where, measured against expected, the fix, where to read more."""
    findings = by_severity(outcome.findings)
    if detail > Verbosity.VERBOSE:
        findings = [one for finding in findings for one in finding.singles]
    shown = findings if detail > Verbosity.VERBOSE else findings[:SHOWN]
    yield _head(shown[0], lead, indent)
    inner = indent + 5 if not indent else indent + 3
    yield inner, Text(shown[0].message)
    yield from ((inner, Text(f"{finding.where}: {finding.message}")) for finding in shown[1:])
    for fix in dict.fromkeys(finding.fix for finding in shown):
        yield inner, Text.assemble(("fix: ", "bold"), fix)
    total = sum(len(finding.singles) for finding in outcome.findings)
    if total > SHOWN and detail <= Verbosity.VERBOSE:
        place = folder.findings(outcome.probe) if folder else "the report that --json writes"
        yield inner, Text(f"all {total:,}: {place}")
