"""The Report: what every probe saw, the verdict, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from diagnose.engine import report_json
from diagnose.engine.root_causes import RootCause, find_root_causes
from diagnose.engine.runner import ALL, Selection, StageCost
from diagnose.engine.types import Finding, Outcome, Severity, Status, Verdict

EXIT_CODES = {Verdict.GO: 0, Verdict.NO_GO: 1, Verdict.CANNOT_VOUCH: 2}


class PreflightFailed(Exception):
    """The verdict is not go. `report` says why."""

    def __init__(self, report: "Report") -> None:
        super().__init__(report.headline)
        self.report = report


@dataclass(frozen=True)
class Report:
    """Outcomes in stage order. Everything else is derived from them."""

    outcomes: tuple[Outcome, ...]
    costs: tuple[StageCost, ...] = ()
    selection: Selection = ALL
    created: str = ""
    elapsed: float = 0.0
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by the fact they draw

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    @cached_property
    def diagnosis(self) -> tuple[RootCause, ...]:
        """The roots, most severe first, each with what it explains."""
        return find_root_causes(self.outcomes)

    def having(self, *statuses: Status) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.status in statuses)

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity is severity)

    @property
    def verdict(self) -> Verdict:
        if self.of(Severity.ERROR):
            return Verdict.NO_GO
        looked = any(outcome.ran for outcome in self.outcomes)
        if not looked or self.having(Status.BLOCKED, Status.CRASHED):
            return Verdict.CANNOT_VOUCH
        return Verdict.GO

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    @property
    def clean(self) -> bool:
        """Nothing found (notes are no alarm), blocked, crashed or ignored."""
        alarms = self.of(Severity.ERROR) + self.of(Severity.WARNING)
        return self.verdict is Verdict.GO and not alarms and not self.selection.ignored

    @property
    def headline(self) -> str:
        """The verdict in one sentence, with the root or the reason."""
        if self.verdict is Verdict.GO:
            return "go: nothing stands in the way of this run"
        if self.verdict is Verdict.NO_GO:
            root = self.diagnosis[0].finding
            return f"no-go: {root.probe} at {root.where}: {root.message}; fix: {root.fix}"
        stuck = self.having(Status.CRASHED, Status.BLOCKED)
        if not stuck:
            first = "".join(f"; {outcome.probe}: {outcome.reason_chain}" for outcome in self.outcomes[:1])
            return f"cannot vouch: no probe could look{first}"
        return f"cannot vouch: {stuck[0].probe} {stuck[0].status}: {stuck[0].reason_chain}"

    def require(self) -> "Report":
        """Raises PreflightFailed unless the verdict is go."""
        if self.verdict is not Verdict.GO:
            raise PreflightFailed(self)
        return self

    def to_json(self) -> str:
        """The whole report, as render/report.schema.json describes it."""
        return report_json.to_json(self)


class Stopped(Exception):
    """A guard found an error in a run. `report` holds the findings, `recording` is the failed step's folder or None."""

    def __init__(self, report: "Report", recording: Path | None = None) -> None:
        super().__init__(report.headline)
        self.report, self.recording = report, recording
