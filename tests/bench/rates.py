"""Learning rates that learn, that run away and that do nothing, ten seeds of every subject: what is said of each?"""

from __future__ import annotations

from functools import partial
from typing import Any

from torch.optim import AdamW

import diagnose
from probes.healthy import NAMES, healthy
from tests.bench.report import Measured

SEEDS = range(10)
RATES = {"healthy": (1e-3, []), "hundred_times_too_high": (1.0, ["LRN020"]), "far_too_low": (1e-7, ["LRN021"])}


def measure(name: str) -> Measured:
    """Errors either way, and the updates that the verdict took at the peak."""
    figures: dict[str, Any] = {}
    for kind, (rate, expected) in RATES.items():
        found = [_asked(name, seed, rate) for seed in SEEDS]
        errors = [seed for seed, (said, _) in zip(SEEDS, found, strict=True) if said != expected]
        figures[kind] = {"rate": rate, "seeds": len(found), "errors": len(errors), "updates": [u for _, u in found]}
    return Measured(figures, f"{len(SEEDS)} seeds")


def _asked(name: str, seed: int, rate: float) -> tuple[list[str], int]:
    facts = healthy(name, seed)
    facts["optimizer"] = AdamW(facts["model"].parameters(), lr=rate)
    report = diagnose.preflight(select=["LRN02*"], **facts)
    updates = [finding.measured["updates"] for finding in report.findings]
    return [finding.probe for finding in report.findings], max(updates, default=20)


MEASUREMENTS = {name: partial(measure, name) for name in NAMES}
