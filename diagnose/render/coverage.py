"""What a preflight covered: the checks that ran in each stage, those that did not and why, and what was shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from diagnose.engine.traits import in_words
from diagnose.engine.types import Outcome, SkipKind, Stage, Status, Verdict
from diagnose.render.lines import Line, line, plural

if TYPE_CHECKING:
    from diagnose.engine.report import Report

LONGEST = 56  # of a reason that is named alone: it fits into one line of 80 columns
NAMED = 2  # reasons why checks do not apply; the others are counted
UNCLEAR = (Status.BLOCKED, Status.CRASHED)


def stage_lines(report: "Report") -> Iterator[Line]:
    """Each stage with the checks that ran and the time, two in a line."""
    ran = Counter(outcome.stage for outcome in report.outcomes if outcome.ran)
    seconds = {cost.stage: cost.seconds for cost in report.costs}
    cells = [f"{stage:<12}{ran[stage]:>3} check{'s' if ran[stage] != 1 else ' '} {seconds.get(stage, 0.0):>6.1f} s"
             for stage in Stage if ran[stage]]  # fmt: skip
    half = -(-len(cells) // 2)
    for number in range(half):
        yield line("      ".join(cells[number::half]), 2)


def unexamined_lines(report: "Report") -> Iterator[Line]:
    """One line for each reason why checks did not run; after an error, what the error prevented."""
    for status, cause, count in _causes(report.having(*UNCLEAR)):
        yield 0, Text.assemble((f"{plural(count, 'check')} {status}", "yellow"), f": {cause}")
    for kind in (SkipKind.AFTER_ERROR, SkipKind.IGNORED):
        for _, cause, count in _causes(_skipped(report, kind)):
            yield line(f"{plural(count, 'check')} not run: {cause}", style="dim")
    if report.verdict is Verdict.NO_GO:
        return
    if absent := _skipped(report, SkipKind.NOT_GIVEN):
        advice = f"; {report.coverage.advice}" if report.coverage.advice and report.selection.full else ""
        yield line(f"{plural(len(absent), 'check')} not run: facts not given{advice}", style="dim")
    yield from _not_applicable(report)


def _not_applicable(report: "Report") -> Iterator[Line]:
    outcomes = _skipped(report, SkipKind.NOT_APPLICABLE)
    reasons = Counter(outcome.reason for outcome in outcomes)
    named = [reason for reason, _ in reasons.most_common() if len(reason) <= LONGEST][:NAMED]
    named = list(reasons) if len(reasons) <= NAMED else named
    for reason in named:
        yield line(f"{plural(reasons[reason], 'check')} not run: {reason}", style="dim")
    if left := reasons.total() - sum(reasons[reason] for reason in named):
        others = plural(len(reasons) - len(named), "other reason" if named else "reason")
        yield line(f"{plural(left, 'check')} not run: {others}, listed by -v", style="dim")


def _skipped(report: "Report", kind: SkipKind) -> tuple[Outcome, ...]:
    return tuple(outcome for outcome in report.outcomes if outcome.skip is kind)


def _causes(outcomes: Sequence[Outcome]) -> Iterator[tuple[Status, str, int]]:
    keyed = sorted(outcomes, key=lambda o: (-list(Status).index(o.status), o.cause))
    for (status, cause), group in groupby(keyed, key=lambda o: (o.status, o.cause)):
        yield status, cause, len(list(group))


def all_unexamined_lines(report: "Report", names: bool) -> Iterator[Line]:
    """Every reason, with the checks beneath it: ids, or one name a line."""
    outcomes = report.having(Status.SKIPPED, *UNCLEAR)
    keyed = sorted(outcomes, key=lambda o: (-list(Status).index(o.status), o.cause))
    for (status, cause), group in groupby(keyed, key=lambda o: (o.status, o.cause)):
        yield 0, Text.assemble((str(status), "dim" if status is Status.SKIPPED else "yellow"), f"  {cause}")
        if names:
            yield from (line(f"{o.probe} {o.name}".removesuffix(f" {o.probe}"), 2) for o in group)
        else:
            yield line(", ".join(outcome.probe for outcome in group), 2)


def check_lines(report: "Report") -> Iterator[Line]:
    """Every check that ran, with its result and time; the trace of each that broke."""
    for outcome in report.outcomes:
        if outcome.ran:
            yield line(f"{outcome.status:<7} {outcome.probe} {outcome.name}  {outcome.elapsed:.2f} s")
        if outcome.trace:
            yield line(outcome.trace.rstrip(), 2)


def detail_lines(report: "Report") -> Iterator[Line]:
    """What was shown of the run, the checks that ran of those that are possible, and passes through the model."""
    for holds, lead in ((True, "shown"), (False, "not shown")):
        names = [in_words(name) for name, trait in report.traits.items() if trait.holds is holds]
        if names:
            yield line(f"{lead}: {', '.join(names)}")
    covered = report.coverage
    if covered.possible and report.selection.full:
        advice = f"; {covered.advice}" if covered.advice else ""
        yield line(f"coverage: {covered.ran} of {covered.possible} checks{advice}")
    passes = [f"{cost.stage} {cost.passes:.3g}" for cost in report.costs if cost.passes]
    if passes:
        yield line(f"passes through the model: {', '.join(passes)}")
