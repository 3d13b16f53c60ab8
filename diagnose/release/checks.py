"""What has to be shown before a release, who answers for it, and what the run's own files show."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.engine.report import Report
from diagnose.engine.types import Finding, Severity
from diagnose.gate.output_folder import read_receipt
from diagnose.gate.receipt import shut
from diagnose.records import Records

RECORDS, EVALUATIONS = 10, 2  # fewer show nothing: no trend, no best one


class State(StrEnum):
    """Whether a check holds. What cannot be shown is never taken for granted."""

    PASSED = "passed"
    FAILING = "failing"
    MISSING = "missing"


@dataclass(frozen=True)
class Shown:
    """What the files say about one check."""

    state: State
    evidence: str


@dataclass(frozen=True)
class Check:
    """One line of the gate. `probes` are those whose findings belong to it."""

    key: str
    title: str
    owner: str
    probes: tuple[str, ...]
    show: Callable[[Records, Path], Shown]


def _logs(records: Records, run: Path) -> Shown:
    losses = records.series("loss")
    if len(losses.values) < RECORDS:
        return Shown(State.MISSING, f"{len(losses.values)} training losses, expected at least {RECORDS}")
    ends = f"{losses.values[0]:.4g} to {losses.values[-1]:.4g}"
    finite = sum(map(isfinite, losses.values))
    told = f"{finite} of {len(losses.values)} losses finite, steps {losses.steps[0]} to {losses.steps[-1]}, {ends}"
    source = Path(records.source)
    return Shown(State.PASSED, f"{told}; {source.relative_to(run) if source.is_relative_to(run) else source.name}")


def _gradients(records: Records, run: Path) -> Shown:
    norms = records.series("grad_norm").values
    if not norms:
        return Shown(State.MISSING, "no grad_norm in the log: log it, or give the folder that holds it")
    return Shown(State.PASSED, f"{len(norms)} gradient norms, {min(norms):.4g} to {max(norms):.4g}")


def _overfitting(records: Records, run: Path) -> Shown:
    losses = records.series("evaluation.loss")
    if len(losses.values) < EVALUATIONS:
        return Shown(State.MISSING, f"{len(losses.values)} evaluations, expected at least {EVALUATIONS}")
    best = min(range(len(losses.values)), key=losses.values.__getitem__)
    told = f"best {losses.values[best]:.4g} at step {losses.steps[best]}, last {losses.values[-1]:.4g}"
    return Shown(State.PASSED, f"{len(losses.values)} evaluations, {told}")


def _silent(records: Records, run: Path) -> Shown:
    skipped, written = run / "preflight" / "skipped.json", run / "preflight" / "receipt.json"
    try:
        receipt = read_receipt(run)
    except InputError as error:
        return Shown(State.MISSING, error.message)
    if skipped.exists() and (not written.exists() or skipped.stat().st_mtime > written.stat().st_mtime):
        return Shown(State.MISSING, f"the run was started without a preflight: {skipped}")
    if reason := shut(receipt):
        return Shown(State.FAILING, f"the preflight's receipt opens no gate: {reason}")
    return Shown(State.PASSED, f"preflight of {receipt.created}: {receipt.signature}")


CHECKS = (
    Check("gradients", "Gradient issues investigated", "ML Engineer", ("STP00[23]", "STP01[1-6]"), _gradients),
    Check("overfitting", "Overfitting diagnosed", "ML Lead", ("STP004", "STP02[0-2]"), _overfitting),
    Check("silent", "Silent bugs ruled out", "Senior ML Engineer", (), _silent),
    # last, so that it takes what belongs to no other
    Check("logs", "Training logs reviewed", "ML Engineer", ("*",), _logs),
)
ORDER = ("logs", "gradients", "overfitting", "silent")  # as a person goes through them


@dataclass(frozen=True)
class Item:
    """One check of one run."""

    check: Check
    state: State
    evidence: str
    findings: tuple[Finding, ...] = ()

    @property
    def warned(self) -> bool:
        return any(finding.severity is Severity.WARNING for finding in self.findings)


def items_of(records: Records, report: Report, run: Path) -> tuple[Item, ...]:
    """Every check with what was found; an error among its findings fails it."""
    left = list(report.findings)
    items = {}
    for check in CHECKS:
        mine = [f for f in left if any(fnmatchcase(f.probe, pattern) for pattern in check.probes)]
        left = [finding for finding in left if finding not in mine]
        shown = check.show(records, run)
        failing = any(finding.severity is Severity.ERROR for finding in mine)
        items[check.key] = Item(check, State.FAILING if failing else shown.state, shown.evidence, tuple(mine))
    return tuple(items[key] for key in ORDER)
