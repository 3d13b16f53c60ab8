"""One preflight of one set-up, with or without a fault, reduced to plain data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch

import diagnose
from diagnose import Severity
from tests.zoo.registry import Facts


@dataclass(frozen=True)
class Result:
    """The verdict, the alarms as `probe severity where: message`, what was blocked or crashed, and the cost."""

    verdict: str
    headline: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    stuck: tuple[str, ...]
    ran: int
    seconds: float

    @property
    def told(self) -> tuple[str, ...]:
        """The ids of the probes that raised an error or a warning."""
        return tuple(dict.fromkeys(line.split()[0] for line in self.errors + self.warnings))


def look(facts: Facts, seed: int = 0, **options: Any) -> Result:
    """A preflight of these facts."""
    torch.manual_seed(seed)
    start = time.perf_counter()
    report = diagnose.preflight(**facts, **options)
    seconds = time.perf_counter() - start
    stuck = [o for o in report.outcomes if o.status in ("blocked", "crashed")]
    return Result(
        str(report.verdict),
        report.headline,
        _lines(report, Severity.ERROR),
        _lines(report, Severity.WARNING),
        tuple(f"{o.probe} {o.status}: {o.reason_chain}" for o in stuck),
        sum(o.ran for o in report.outcomes),
        round(seconds, 1),
    )


def _lines(report: Any, severity: Severity) -> tuple[str, ...]:
    return tuple(f"{f.probe} {f.where}: {f.message}" for f in report.of(severity))
