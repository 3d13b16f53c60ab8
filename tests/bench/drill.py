"""The drill: every fault in every subject it applies to, three seeds each; and the whole catalogue on a demo."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from diagnose.common.forked_workers import run_forked
from diagnose.drill.results import TrialStatus
from diagnose.drill.run_drill import DrillPlan, drill, healthy_result
from diagnose.drill.scoreboard import Scoreboard
from diagnose.drill.trial import healthy_trial
from diagnose.engine import discovery
from diagnose.engine.engine import installed
from probes.healthy import healthy
from tests.bench.report import Measured
from tests.support.state_picture import picture
from trainer.demo.corpus import make_corpus
from trainer.demo.run import MODELS, settings
from trainer.pipeline.steps import data_step

SEEDS, HEALTHY = 3, 10


def measure(name: str) -> Measured:
    """Small subjects of one architecture; ten healthy seeds beside three of every fault."""
    faults = tuple(fault for fault in discovery.faults().items if {"*", name} & set(fault.applies_to))
    return measured(DrillPlan(name, partial(healthy, name), faults, SEEDS))


def demo(model: str) -> Measured:
    """The whole catalogue on the shipped configuration of a demo and its corpus of an hour."""
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder), 0)
        data_step(settings(model, 0, Path(folder)).config)

        def build(seed: int) -> dict[str, Any]:
            return {"config": settings(model, seed, Path(folder))}

        return measured(DrillPlan(f"demo_{model}", build, discovery.faults().items))


def law() -> Measured:
    """Every child gets the very same objects: what they are after the whole catalogue."""
    facts = healthy("hybrid")
    before = picture(facts["model"], facts["optimizer"])
    score = drill(installed(), DrillPlan("hybrid", lambda seed: facts, discovery.faults().items))
    unchanged = picture(facts["model"], facts["optimizer"]) == before
    return Measured({"trials": score.applied, "unchanged": unchanged}, "the whole catalogue, once")


def measured(plan: DrillPlan) -> Measured:
    score = drill(installed(), plan)
    more = {seed: partial(healthy_trial, installed(), plan.build, seed) for seed in range(plan.seeds, HEALTHY)}
    twins = [healthy_result(twin, seed) for seed, twin in run_forked(more, plan.processes)]
    alarms = [*score.alarms, *(f"seed {twin.seed}: {alarm}" for twin in twins for alarm in twin.alarms)]
    figures = {**figures_of(score), "healthy_seeds": HEALTHY, "false_alarms": len(alarms), "which": alarms or "none"}
    seeds = f"{plan.seeds} seed{'s' * (plan.seeds > 1)} of every fault, {HEALTHY} healthy ones"
    return Measured(figures, f"{seeds}, each in a process of its own, {plan.processes} at once")


def figures_of(score: Scoreboard) -> dict[str, Any]:
    caught = [trial for trial in score.trials if trial.ending is TrialStatus.CAUGHT]
    astray = [f"{t.fault} seed {t.seed} ({t.expected}): {', '.join(t.roots) or '-'}" for t in caught if not t.named]
    missed = [f"{t.fault} seed {t.seed}" for t in score.having(TrialStatus.MISSED)]
    unproven = sorted({f"{t.fault}: {t.reason}" for t in score.having(TrialStatus.UNPROVEN)})
    lists = {"missed": missed, "named_otherwise": astray, "could_not_be_put_in": unproven}
    return {**score.figures(), **{name: "; ".join(found) or "none" for name, found in lists.items()}}


MEASUREMENTS = {
    **{name: partial(measure, name) for name in MODELS},
    "law": law,
    **{f"demo/{name}": partial(demo, name) for name in MODELS},
}
