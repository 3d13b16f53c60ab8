"""The drill: every fault in every subject it applies to, three seeds each; and the whole catalogue on a demo."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from diagnose import discover
from diagnose.children import in_children
from diagnose.drill.conducting import Plan, drill
from diagnose.drill.results import Ending
from diagnose.drill.score import Score
from diagnose.drill.trial import healthy_trial
from diagnose.engine import installed
from probes.healthy import healthy
from tests.bench.report import Measured
from trainer.demo.corpus import make_corpus
from trainer.demo.run import MODELS, settings
from trainer.steps import data_step

SEEDS, HEALTHY = 3, 10


def measure(name: str) -> Measured:
    """Small subjects of one architecture; ten healthy seeds beside three of every fault."""
    build = partial(healthy, name)
    faults = tuple(fault for fault in discover.faults().items if {"*", name} & set(fault.applies_to))
    score = drill(installed(), Plan(name, build, faults, SEEDS))
    more = {seed: partial(healthy_trial, installed(), build, seed) for seed in range(SEEDS, HEALTHY)}
    alarms = [*score.alarms, *(alarm for _, twin in in_children(more, 2) for alarm in twin.alarms)]
    figures = {**figures_of(score), "healthy_seeds": HEALTHY, "false_alarms": len(alarms), "which": alarms or "none"}
    return Measured(figures, f"{SEEDS} seeds of every fault, {HEALTHY} healthy ones, each in a process of its own")


def demo(model: str) -> Measured:
    """The whole catalogue on the shipped configuration of a demo and its corpus of an hour."""
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder), 0)
        data_step(settings(model, 0, Path(folder)).config)
        plan = Plan(
            f"demo_{model}", lambda seed: {"config": settings(model, seed, Path(folder))}, discover.faults().items
        )
        score = drill(installed(), plan)
    return Measured({**figures_of(score), "false_alarms": len(score.alarms)}, "one seed, two processes at once")


def figures_of(score: Score) -> dict[str, Any]:
    caught = [trial for trial in score.trials if trial.ending is Ending.CAUGHT]
    astray = [f"{t.fault} seed {t.seed} ({t.expected}): {', '.join(t.roots) or '-'}" for t in caught if not t.named]
    missed = [f"{t.fault} seed {t.seed}" for t in score.having(Ending.MISSED)]
    unproven = sorted({f"{t.fault}: {t.reason}" for t in score.having(Ending.UNPROVEN)})
    lists = {"missed": missed, "named_otherwise": astray, "could_not_be_put_in": unproven}
    return {**score.figures(), **{name: "; ".join(found) or "none" for name, found in lists.items()}}


MEASUREMENTS = {
    **{name: partial(measure, name) for name in MODELS},
    **{f"demo/{name}": partial(demo, name) for name in MODELS},
}
