"""Roots first: what another finding's probe explains is listed beneath it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from diagnose.engine.types import Finding, Outcome, Severity, Stage

SHOWN = 5  # of one probe's findings, the most severe; a file holds the rest


@dataclass(frozen=True)
class RootCause:
    """A probe's findings that nothing else explains, and the outcomes that follow from them."""

    outcome: Outcome
    consequences: tuple[Outcome, ...] = ()

    @property
    def probe(self) -> str:
        return self.outcome.probe

    @property
    def severity(self) -> Severity:
        """The most severe of the outcome and its consequences."""
        found = [outcome.worst for outcome in (self.outcome, *self.consequences) if outcome.worst]
        return min(found, key=list(Severity).index)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.outcome.findings

    @property
    def finding(self) -> Finding:
        """The first of the most severe."""
        return by_severity(self.outcome.findings)[0]

    @property
    def explains(self) -> tuple[Finding, ...]:
        return tuple(finding for outcome in self.consequences for finding in outcome.findings)


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """By severity; within one, in the order of the probe."""
    order = list(Severity)
    return sorted(findings, key=lambda f: order.index(f.severity or Severity.NOTE))


def explains(one: Outcome, other: Outcome) -> bool:
    """A note is information: it explains nothing away."""
    alarming = one.worst in (Severity.ERROR, Severity.WARNING)
    return alarming and one is not other and any(fnmatchcase(other.probe, pattern) for pattern in one.explains)


def find_root_causes(outcomes: Sequence[Outcome]) -> tuple[RootCause, ...]:
    """Every finding stands in exactly one place: a root, or beneath the first root that leads to it."""
    left = {outcome.probe: outcome for outcome in outcomes if outcome.findings}
    unexplained = [one for one in left.values() if not any(explains(other, one) for other in left.values())]
    roots: list[RootCause] = []
    # In a cycle every finding is explained by another: what no root has reached becomes one, in stage order.
    for candidate in [*unexplained, *list(left.values())]:
        if candidate.probe in left:
            roots.append(_take(candidate, left))
    return tuple(sorted(roots, key=lambda root: list(Severity).index(root.severity)))


def _take(start: Outcome, left: dict[str, Outcome]) -> RootCause:
    """Takes the start and all that follows from it, step by step, out of what is left."""
    reached = [left.pop(start.probe)]
    for one in reached:
        reached += [left.pop(other.probe) for other in list(left.values()) if explains(one, other)]
    stages = list(Stage)
    return RootCause(reached[0], tuple(sorted(reached[1:], key=lambda o: (stages.index(o.stage), o.probe))))
