"""Guards of a run that is under way: every step is judged at once, all of them together now and then.

guard = Guard()                                                  # in a loop of one's own:
guard.step(loss=loss, grad_norm=norm, lr=rate)                   # after backward, before the optimiser's step

An error raises Stopped (mode "stop") or is logged once (mode "warn"); "off" only keeps the records.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any, NoReturn

from diagnose.common.errors import InputError
from diagnose.engine.engine import Engine, installed
from diagnose.engine.report import Report, Stopped
from diagnose.engine.types import Finding, Outcome, Severity, Stage, Status
from diagnose.records import GeneratedText, Record, RecordLog, Records

log = logging.getLogger(__name__)

MODES = ("off", "warn", "stop")
FIRST = 10  # steps after which all probes look for the first time: what is wrong in them was wrong before the run
NO_PROBE = "WITHHELD"  # the id of the outcome where no installed probe reports a non-finite value


@dataclass
class Guard:
    """Judges the steps of a run that is under way; for Trainers there is GuardCallback.

        guard.step(loss=loss, grad_norm=norm, lr=rate)      # in your loop, between backward() and optimizer.step()

    Judges what is not finite at once, and all steps so far every `every` steps. "warn" logs instead of raising Stopped.
    """

    mode: str = "stop"
    every: int = 50
    known: dict[str, Any] = field(default_factory=dict)  # the other fields of Records

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"guard {self.mode!r}: expected one of {', '.join(MODES)}")
        self.log = RecordLog()
        self.report: Report | None = None
        self._logged: set[str] = set()
        self._last_due: int | None = None

    def begin(self, **known: Any) -> None:
        """What else is known of the run: total_steps, schedule, scaled, vocabulary, phases."""
        self.known |= known
        if self.mode != "off":
            self.verdict()  # the probes are imported now, and not in the middle of a step

    def step(
        self, *, loss: Any = None, grad_norm: Any = None, lr: Any = None, step: int | None = None, **more: Any
    ) -> tuple[Finding, ...]:
        """Judges one step; raises Stopped on an error in mode stop. Numbers, or tensors of one element."""
        if self.judge(loss=loss, grad_norm=grad_norm, lr=lr, step=step, **more):
            self.halt()
        return self.report.findings if self.report else ()

    def judge(self, *, step: int | None = None, evaluation: Mapping[str, Any] | None = None, **figures: Any) -> bool:
        """Keeps the record; whether the run has to end. What is not finite is looked at now, all else when due."""
        record = _record(self.last_step + 1 if step is None else step, evaluation or {}, figures)
        self.log.add(record)
        self.report = None
        broken = not _finite(record, bool(self.known.get("scaled")))
        due = bool(evaluation) or record.weights_finite is False or self._due(record.step)
        if self.mode == "off" or not (broken or due):
            return False
        self.report = self._examined(record, broken)
        self._log(self.report.findings)
        return self.mode == "stop" and bool(self.report.of(Severity.ERROR))

    def halt(self, recording: Any = None) -> NoReturn:
        """Raises Stopped with what was found last."""
        report = self.report or Report(())
        found = (root.finding for root in report.diagnosis)
        roots = "; ".join(f"{one.probe} at {one.where}: {one.message}" for one in found)
        log.info("stopped by %s%s", roots or "another process", f"; recording: {recording}" if recording else "")
        raise Stopped(report, recording)

    def records(self, **known: Any) -> Records:
        return self.log.records(**{**self.known, **known})

    def verdict(self, **known: Any) -> Report:
        """What all probes of the stage say of the run so far."""
        return self._engine.examine(self._engine.context({"records": self.records(**known)}))

    @cached_property
    def _engine(self) -> Engine:
        whole = installed()
        return Engine(tuple(probe for probe in whole.probes if probe.stage is Stage.STEPS), whole.providers)

    @property
    def last_step(self) -> int:
        return self.log.rows[-1].step if self.log.rows else 0

    def due(self, step: int, since: int | None = None) -> bool:
        """Whether all probes look at this step, or at one that went by `since`: after the first ten, then regularly."""
        since = step - 1 if since is None else since
        return bool(self.every) and (since < FIRST <= step or step // self.every > since // self.every)

    def _due(self, step: int) -> bool:
        """Also where only some steps are recorded, or the run is resumed."""
        passed = self.due(step, self._last_due)
        self._last_due = max(step, self._last_due or 0)
        return passed

    def _examined(self, record: Record, broken: bool) -> Report:
        report = self.verdict()
        return report if not broken or report.of(Severity.ERROR) else Report((*report.outcomes, _not_finite(record)))

    def _log(self, findings: Iterable[Finding]) -> None:
        """Each probe's warning once; its errors as well, where they do not end the run."""
        severities = (Severity.WARNING, Severity.ERROR) if self.mode == "warn" else (Severity.WARNING,)
        for finding in findings:
            if finding.severity in severities and finding.probe not in self._logged:
                self._logged.add(finding.probe)
                log.warning("%s at %s: %s; fix: %s", finding.probe, finding.where, finding.message, finding.fix)


def _record(step: int, evaluation: Mapping[str, Any], figures: Mapping[str, Any]) -> Record:
    plain: dict[str, Any] = {name: _plain(value) for name, value in figures.items()}
    texts = tuple(GeneratedText(text, reference) for text, reference in plain.pop("texts", None) or ())
    return Record(step, evaluation={name: float(value) for name, value in evaluation.items()}, texts=texts, **plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: float(one) for name, one in value.items()}
    if value is None or isinstance(value, bool | list | tuple):
        return value
    return float(value.detach() if hasattr(value, "detach") else value)


def _finite(record: Record, scaled: bool) -> bool:
    """A gradient scaler tries scales that are too high: an infinite norm is its own affair."""
    norm = None if scaled else record.grad_norm
    return all(value is None or isfinite(value) for value in (record.loss, norm))


def _not_finite(record: Record) -> Outcome:
    what = f"loss {record.loss}, gradient norm {record.grad_norm}: expected finite numbers"
    fix = "find where the first NaN/Inf appears with diagnose nan-bisect"
    finding = Finding(f"step {record.step}", what, fix, {}, Severity.ERROR, probe=NO_PROBE, stage=Stage.STEPS)
    title = "The step is not finite"
    return Outcome(NO_PROBE, "withheld", title, Stage.STEPS, Severity.ERROR, Status.FOUND, (finding,))
