"""The Report: what every probe saw, the verdict, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import write_atomically
from diagnose.engine import report_json
from diagnose.engine.coverage import Coverage
from diagnose.engine.root_causes import RootCause, find_root_causes
from diagnose.engine.runner import ALL, Selection, StageCost
from diagnose.engine.traits import Traits
from diagnose.engine.types import Finding, Outcome, Severity, Status, Verdict
from diagnose.engine.verdict import verdict_of

EXIT_CODES = {Verdict.GO: 0, Verdict.NO_GO: 1, Verdict.INCONCLUSIVE: 2}


class PreflightFailed(Exception):
    """Raised by `report.require()` where the verdict is not GO; `report` says why, its text the first root cause."""

    def __init__(self, report: "Report") -> None:
        super().__init__(report.headline)
        self.report = report


@dataclass(frozen=True, repr=False)
class Report:
    """What a preflight says: outcomes in stage order; verdict, findings and diagnosis are derived from them."""

    outcomes: tuple[Outcome, ...]
    costs: tuple[StageCost, ...] = ()
    selection: Selection = ALL
    created: str = ""
    elapsed: float = 0.0
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by the fact they draw
    traits: Traits = field(default_factory=dict)  # what was shown of the run, by the name of its fact
    coverage: Coverage = field(default_factory=Coverage)
    summary: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the run in numbers, by the fact
    rows: tuple[Any, ...] = ()  # of the training set, for the page: with sound and pictures, so not in the JSON report

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    @cached_property
    def diagnosis(self) -> tuple[RootCause, ...]:
        """The root causes, most severe first, each with what it explains."""
        return find_root_causes(self.outcomes)

    def having(self, *statuses: Status) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.status in statuses)

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity is severity)

    @property
    def verdict(self) -> Verdict:
        severities = {finding.severity for finding in self.findings if finding.severity}
        return verdict_of(severities, {outcome.status for outcome in self.outcomes}, self.missing_evidence)

    @property
    def missing_evidence(self) -> Mapping[str, str]:
        """What a go needs and did not run, with the reason. A part of the checks opens no gate, and needs none."""
        return self.coverage.missing_evidence if self.selection.full else {}

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
        """The verdict in one sentence, with the root cause or the reason."""
        if self.verdict is Verdict.GO:
            return "go: no error was found"
        if self.verdict is Verdict.NO_GO:
            root = self.diagnosis[0].finding
            return f"no-go: {root.probe} at {root.place}: {root.singles[0].message}; fix: {root.fix}"
        return f"inconclusive: {self.why_inconclusive}"

    @property
    def why_inconclusive(self) -> str:
        """The first check that broke, or the evidence that is missing and how to give it."""
        if stuck := self.having(Status.CRASHED, Status.BLOCKED):
            return f"{stuck[0].probe} {stuck[0].status}: {stuck[0].cause}"
        if self.missing_evidence:
            advice = f"; {self.coverage.advice}" if self.coverage.advice else ""
            first, reason = next(iter(self.missing_evidence.items()))
            return f"{first} did not run ({reason}){advice}"
        return "no check could run" + "".join(f"; {one.probe}: {one.cause}" for one in self.outcomes[:1])

    def require(self) -> "Report":
        """Raises PreflightFailed unless the verdict is go."""
        if self.verdict is not Verdict.GO:
            raise PreflightFailed(self)
        return self

    def to_json(self) -> str:
        """The whole report, as render/report.schema.json describes it."""
        return report_json.to_json(self)

    def write_json(self, path: str | Path) -> Path:
        """Writes `to_json()` to a file, whose folder is made."""
        write_atomically(Path(path), self.to_json())
        return Path(path)

    def write_html(self, path: str | Path) -> Path:
        """Writes the page: one file that needs no network. Its folder is made."""
        from diagnose.page.report_page import write_report_page

        return write_report_page(self, Path(path))

    def show(self) -> None:
        """Prints it to the terminal, in color where there is one."""
        from diagnose.render.lines import print_lines
        from diagnose.render.text import report_lines
        from diagnose.terminal.console import console

        print_lines(report_lines(self), console())

    def __str__(self) -> str:
        from diagnose.render.text import plain_text

        return plain_text(self)

    def __repr__(self) -> str:
        return f"<Report {self.verdict}: {len(self.findings)} findings, {sum(o.ran for o in self.outcomes)} checks run>"

    def _repr_html_(self) -> str:
        from diagnose.render.html import to_html

        return to_html(self)


class Stopped(Exception):
    """A guard found an error in a run. `report` holds the findings, `recording` is the failed step's folder or None."""

    def __init__(self, report: "Report", recording: Path | None = None) -> None:
        super().__init__(report.headline)
        self.report, self.recording = report, recording
