"""Overfit one batch: healthy subjects and each fault, ten seeds each: what is named, and after how many updates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Any

import torch

from diagnose import Fault
from diagnose.engine import discovery
from diagnose.engine.context import FactError
from diagnose.engine.engine import installed
from diagnose.engine.runner import Selection
from probes.healthy import NAMES, healthy
from tests.bench.report import Measured

SEEDS = range(10)
OURS = Selection(ids=("LRN00*", "LRN01*", "LRN02*"), run_all=True)
# In a preflight an earlier stage names most of these; here the learning stage is alone with them.
EXPECTED = {
    "loss_times_zero": "LRN001",
    "optimizer_of_another_model": "LRN002",
    "everything_frozen": "LRN002",
    "encoder_detached": "LRN003",
    "encoder_zeroed": "LRN003",
    "head_frozen": "LRN004",
    "new_head_frozen": "LRN004",
    "adapter_frozen_with_encoder": "LRN004",
    "softmax_before_loss": "LRN005",
    "softmax_in_head": "LRN005",
    "loss_of_other_rows": "LRN006",
    "loss_deaf_to_input": "LRN008",
    "quantised_to_nothing": "LRN008",
    "dropout_of_nearly_all": "LRN009",
    "labels_drawn_anew": "LRN010",
    "ctc_reads_constants": "LRN011",
    "root_without_epsilon": "LRN013",
    "rate_a_hundred_times_too_high": "LRN020",
    "rate_of_a_far_longer_run": "LRN021",
    "optimizer_at_rest": "LRN021",
}
RATES = ("LRN020", "LRN021")  # whose verdict takes the updates at the run's own rate
OTHERWISE = {("loss_deaf_to_input", "classifier"): "LRN007"}  # it has no prefix to learn from: its labels' statistics


def looked(name: str, seed: int, fault: Fault | None) -> tuple[list[str], str, int, float]:
    """The roots, the verdict, updates and seconds."""
    facts = healthy(name, seed)
    torch.manual_seed(seed)
    engine = installed()
    context = engine.context(fault.inject(facts) if fault else facts)
    roots = [root.probe for root in engine.examine(context, OURS).diagnosis]
    rated = fault is not None and EXPECTED[fault.id] in RATES
    try:
        run: Any = context.get("overfit_curve")
        taken: Any = context.get("rate_trial") if rated else run
    except FactError:
        return roots, "cannot be said", 0, 0.0
    return roots, run.verdict, taken.updates, taken.seconds


def measure(name: str) -> Measured:
    """Healthy: how many pass. Faults: how many are named as the one root."""
    runs = [looked(name, seed, None) for seed in SEEDS]
    passed = [not roots and verdict == "learns from its input" for roots, verdict, _, _ in runs]
    figures = {"healthy": {"pass_rate": sum(passed) / len(passed), **steps(runs)}}
    figures["faults"] = {fault.id: named(name, fault) for fault in faults(name)}
    return Measured(figures, f"{len(SEEDS)} seeds each, the learning stage alone; steps and seconds are medians")


def faults(name: str) -> Iterator[Fault]:
    for fault in discovery.faults().items:
        if fault.id in EXPECTED and {"*", name} & set(fault.applies_to):
            yield fault


def named(name: str, fault: Fault) -> dict[str, Any]:
    wanted = OTHERWISE.get((fault.id, name), EXPECTED[fault.id])
    runs = [looked(name, seed, fault) for seed in SEEDS]
    missed = sorted({",".join(roots) or "-" for roots, _, _, _ in runs if roots != [wanted]})
    share = sum(roots == [wanted] for roots, _, _, _ in runs) / len(runs)
    return {"named": share, "by": wanted, **({"instead": "; ".join(missed)} if missed else {}), **steps(runs)}


def steps(runs: list[tuple[list[str], str, int, float]]) -> dict[str, Any]:
    return {
        "steps": median(updates for _, _, updates, _ in runs),
        "most_steps": max(updates for _, _, updates, _ in runs),
        "seconds": round(median(seconds for *_, seconds in runs), 2),
    }


MEASUREMENTS = {name: partial(measure, name) for name in NAMES}
