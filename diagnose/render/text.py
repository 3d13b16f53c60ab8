"""The report for a person: the diagnosis with its roots first, what could not look and why, and the verdict."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from diagnose.engine.report import Report
from diagnose.engine.root_causes import SHOWN, by_severity
from diagnose.engine.types import Outcome, Severity, Status, Verdict
from diagnose.gate.output_folder import ChangesSince, PreflightFolder
from diagnose.gate.run_preflight import Preflight

COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
# Data may hold escape sequences; a terminal must not obey them.
VISIBLE = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
Line = tuple[int, Text]


def show(preflight: Preflight, console: Console) -> None:
    """Prints it."""
    print_lines(preflight_lines(preflight), console)


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Every line folds at the console's width under its own indent."""
    for indent, line in lines:
        line.plain = line.plain.translate(VISIBLE)
        for piece in line.wrap(console, max(20, console.width - indent)):
            piece.rstrip()
            console.print(Text(" " * indent) + piece, soft_wrap=True)


def preflight_lines(preflight: Preflight) -> Iterator[Line]:
    report = preflight.report
    yield 0, Text("DIAGNOSIS", style="bold")
    yield from diagnosis_lines(report, preflight.folder)
    if not report.findings:
        looked = len(report.having(Status.PASSED))
        yield 2, Text(f"nothing found by the {looked} probe{'s' * (looked != 1)} that looked")
    yield 0, Text("")
    yield from unexamined_lines(report)
    if preflight.since and (report.findings or preflight.since.resolved):
        yield from changes(preflight.since)
    yield 0, Text(f"cost: {costs(report)}")
    if preflight.receipt:
        yield 0, Text(f"receipt: {preflight.receipt.signature}")
    if preflight.unwritten:
        yield 0, Text(f"neither report nor receipt is kept: {preflight.unwritten}", style="yellow")
    if preflight.folder:
        yield 0, Text(f"report: {preflight.folder.report}")
    yield 0, Text("")
    yield 0, verdict_line(report)


def diagnosis_lines(report: Report, folder: PreflightFolder | None = None) -> Iterator[Line]:
    """The roots, most severe first, each with its consequences."""
    for root in report.diagnosis:
        yield 0, Text("")
        yield from outcome_lines(root.outcome, folder)
        for outcome in root.consequences:
            yield from outcome_lines(outcome, folder, indent=4, lead="-> ")


def outcome_lines(outcome: Outcome, folder: PreflightFolder | None, indent: int = 0, lead: str = "") -> Iterator[Line]:
    """One probe's findings: where, measured against expected, the fix, where to read more."""
    shown = by_severity(outcome.findings)[:SHOWN]
    first, left = shown[0], len(outcome.findings) - len(shown)
    severity = first.severity or outcome.severity
    yield indent, Text.assemble(lead, (f"{outcome.probe} {severity}", COLOURS[severity]), f"  {first.where}")
    yield indent + 2, Text(first.message)
    yield from ((indent + 2, Text(f"{finding.where}: {finding.message}")) for finding in shown[1:])
    if left:
        place = folder.findings(outcome.probe) if folder else "the report that --json writes"
        yield indent + 2, Text(f"and {left:,} more of {len(outcome.findings):,}; all of them in {place}")
    for fix in dict.fromkeys(finding.fix for finding in shown):
        yield indent + 2, Text.assemble(("fix: ", "bold"), fix)
    yield indent + 2, Text(f"more: diagnose explain {outcome.probe}", style="dim")


def unexamined_lines(report: Report) -> Iterator[Line]:
    """One line for each probe that did not look, under the reason that it shares with others."""
    outcomes = report.having(Status.SKIPPED, Status.BLOCKED, Status.CRASHED)
    keyed = sorted(outcomes, key=lambda o: (-list(Status).index(o.status), _cause(o)))
    for (status, cause), group in groupby(keyed, key=lambda o: (o.status, _cause(o))):
        colour = "dim" if status is Status.SKIPPED else "yellow"
        yield 0, Text.assemble((str(status), colour), f"  {cause}")
        for outcome in group:
            via = f" via {', '.join(outcome.chain[:-1])}" if outcome.chain[:-1] else ""
            yield 2, Text(f"{outcome.probe} {outcome.name}{via}" if outcome.probe != outcome.name else outcome.probe)
    if outcomes:
        yield 0, Text("")


def _cause(outcome: Outcome) -> str:
    return ": ".join([*outcome.chain[-1:], outcome.reason])


def changes(since: ChangesSince) -> Iterator[Line]:
    for what, keys in (("gone", since.resolved), ("new", since.new)):
        named = "; ".join(f"{probe} at {where}" for probe, where in keys[:SHOWN])
        more = f" and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
        if keys:
            yield 0, Text(f"{what} since the last preflight: {named}{more}")
    if not since.resolved and not since.new:
        yield 0, Text("the same findings as in the last preflight")


def costs(report: Report) -> str:
    stages = [f"{cost.stage} {cost.seconds:.1f} s{_passes(cost.passes)}" for cost in report.costs]
    return ", ".join([*stages, f"{report.elapsed:.1f} s in all"])


def _passes(count: float) -> str:
    number = f"{count:.1f}".removesuffix(".0")
    return f" ({number} pass{'es' * (number != '1')})" if count else ""


def verdict_line(report: Report) -> Text:
    """The last line: may the run start?"""
    headline, colour = _headline(report)
    words = {Status.FOUND: "passed with a note"} if report.clean else {}
    numbers = [(len(report.having(status)), words.get(status, status)) for status in Status]
    counts = ", ".join(f"{number} {word}" for number, word in numbers if number)
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
