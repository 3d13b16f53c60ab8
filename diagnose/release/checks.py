"""What has to be shown before a release, who answers for it, and what the run's own files show."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.curves.trainer_state import RESOLVED
from diagnose.engine.report import Report
from diagnose.engine.types import Finding, Severity
from diagnose.gate.output_folder import PreflightFolder
from diagnose.gate.receipt import why_rejected
from diagnose.gate.seal import KEY, signing_key
from diagnose.records import Records
from diagnose.release.receipt_of_run import compared_files, configuration_of, why_of_another_run

RECORDS, EVALUATIONS = 10, 2  # fewer show nothing: no trend, no best one


class CheckState(StrEnum):
    """Whether a check holds. What cannot be shown is never taken for granted."""

    PASSED = "passed"
    FAILING = "failing"
    MISSING = "missing"


@dataclass(frozen=True)
class FinishedRun:
    """The log and the folder of a run, and the audio files that its configuration names."""

    records: Records
    folder: Path
    audio_files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What the files say about one check."""

    state: CheckState
    evidence: str


@dataclass(frozen=True)
class ReleaseCheck:
    """One line of the gate. `probes` are those whose findings belong to it."""

    key: str
    title: str
    owner: str
    probes: tuple[str, ...]
    show: Callable[[FinishedRun], Evidence]


def _logs(run: FinishedRun) -> Evidence:
    records = run.records
    losses = records.series("loss")
    if len(losses.values) < RECORDS:
        return Evidence(CheckState.MISSING, f"{len(losses.values)} training losses, expected at least {RECORDS}")
    ends = f"{losses.values[0]:.4g} to {losses.values[-1]:.4g}"
    finite = sum(map(isfinite, losses.values))
    figures = f"{finite} of {len(losses.values)} losses finite, steps {losses.steps[0]} to {losses.steps[-1]}, {ends}"
    path = Path(records.source)
    source = path.relative_to(run.folder) if path.is_relative_to(run.folder) else path.name
    return Evidence(CheckState.PASSED, f"{figures}; {source}")


def _gradients(run: FinishedRun) -> Evidence:
    norms = run.records.series("grad_norm").values
    if not norms:
        return Evidence(CheckState.MISSING, "no grad_norm in the log: log it, or pass the folder that contains it")
    return Evidence(CheckState.PASSED, f"{len(norms)} gradient norms, {min(norms):.4g} to {max(norms):.4g}")


def _overfitting(run: FinishedRun) -> Evidence:
    losses = run.records.series("evaluation.loss")
    if len(losses.values) < EVALUATIONS:
        return Evidence(CheckState.MISSING, f"{len(losses.values)} evaluations, expected at least {EVALUATIONS}")
    best = min(range(len(losses.values)), key=losses.values.__getitem__)
    figures = f"best {losses.values[best]:.4g} at step {losses.steps[best]}, last {losses.values[-1]:.4g}"
    return Evidence(CheckState.PASSED, f"{len(losses.values)} evaluations, {figures}")


def _silent(run: FinishedRun) -> Evidence:
    folder = PreflightFolder(run.folder / "preflight")
    skipped, written = folder.path / "skipped.json", folder.receipt
    try:
        receipt, key = folder.proven_receipt(), signing_key()
    except InputError as error:
        return Evidence(CheckState.MISSING, error.message)
    if skipped.exists() and (not written.exists() or skipped.stat().st_mtime > written.stat().st_mtime):
        return Evidence(CheckState.MISSING, f"the run was started without a preflight: {skipped}")
    if reason := why_rejected(receipt):
        return Evidence(CheckState.FAILING, f"the preflight's receipt does not allow a start: {reason}")
    if key and not receipt.signed:
        return Evidence(CheckState.FAILING, f"{written} is not signed with the key of {KEY}")
    if configuration_of(run.folder) is None:
        return Evidence(
            CheckState.MISSING, f"{run.folder / RESOLVED} is missing: nothing shows of which run the receipt is"
        )
    if reason := why_of_another_run(receipt, run.folder, run.audio_files):
        return Evidence(CheckState.FAILING, f"the receipt does not count: {reason}")
    shown = f"preflight of {receipt.created}: {receipt.signature}{compared_files(receipt, run.audio_files)}"
    return Evidence(CheckState.PASSED, f"{shown}; signed with the key of {KEY}" if key else shown)


CHECKS = (
    ReleaseCheck("gradients", "Gradient issues investigated", "ML Engineer", ("STP00[23]", "STP01[1-6]"), _gradients),
    ReleaseCheck("overfitting", "Overfitting diagnosed", "ML Lead", ("STP004", "STP02[0-2]"), _overfitting),
    ReleaseCheck("silent", "Silent bugs ruled out", "Senior ML Engineer", (), _silent),
    # last, so that it takes what belongs to no other
    ReleaseCheck("logs", "Training logs reviewed", "ML Engineer", ("*",), _logs),
)
ORDER = ("logs", "gradients", "overfitting", "silent")  # as a person goes through them


@dataclass(frozen=True)
class ReleaseItem:
    """One check of one run."""

    check: ReleaseCheck
    state: CheckState
    evidence: str
    findings: tuple[Finding, ...] = ()

    @property
    def warned(self) -> bool:
        return any(finding.severity is Severity.WARNING for finding in self.findings)


def run_checks(run: FinishedRun, report: Report) -> tuple[ReleaseItem, ...]:
    """Every check with what was found; an error among its findings fails it."""
    left = list(report.findings)
    items = {}
    for check in CHECKS:
        mine = [f for f in left if any(fnmatchcase(f.probe, pattern) for pattern in check.probes)]
        left = [finding for finding in left if finding not in mine]
        shown = check.show(run)
        failing = any(finding.severity is Severity.ERROR for finding in mine)
        state = CheckState.FAILING if failing else shown.state
        items[check.key] = ReleaseItem(check, state, shown.evidence, tuple(mine))
    return tuple(items[key] for key in ORDER)
