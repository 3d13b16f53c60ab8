"""Healthy subjects, ten seeds each, through every stage: any error or warning is a false alarm. And what it costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

import diagnose
from diagnose import Severity
from probes.healthy import NAMES, healthy
from tests.bench.report import Measured

SEEDS = range(10)


def measure(name: str) -> Measured:
    """Errors and warnings over all seeds, which they were, and the passes of each stage, the most of all seeds."""
    alarms: list[str] = []
    passes: dict[str, float] = {}
    for seed in SEEDS:
        facts = healthy(name, seed)
        torch.manual_seed(seed)
        report = diagnose.preflight(everything=True, processes=2, **facts)
        alarms += [f"seed {seed} {f.probe}" for f in report.findings if f.severity is not Severity.NOTE]
        alarms += [f"seed {seed} {o.probe} {o.status}" for o in report.outcomes if o.status in ("blocked", "crashed")]
        for cost in report.costs:
            passes[str(cost.stage)] = round(max(passes.get(str(cost.stage), 0.0), cost.passes), 2)
    figures: dict[str, Any] = {"seeds": len(SEEDS), "alarms": len(alarms), "which": "; ".join(alarms) or "none"}
    return Measured({**figures, "passes": passes}, f"{len(SEEDS)} seeds, all stages")


MEASUREMENTS = {name: partial(measure, name) for name in NAMES}
