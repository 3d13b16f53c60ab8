"""A drill from end to end: the healthy subject first, then every fault with every seed, each in its own worker."""

import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.forked_workers import WorkerFailure, run_forked
from diagnose.drill.applicability import not_applicable_reason
from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus, empty_trial
from diagnose.drill.scoreboard import Scoreboard
from diagnose.drill.trial import Build, healthy_trial, trial
from diagnose.engine.decorators import Fault
from diagnose.engine.engine import Engine

OnResult = Callable[[FaultTrial | HealthyTrial], None]


@dataclass(frozen=True)
class DrillPlan:
    """What is put into what, and how many children at once."""

    subject: str
    build: Build
    faults: tuple[Fault, ...]
    seeds: int = 1
    at_once: int = 0

    @property
    def processes(self) -> int:
        return self.at_once or len(os.sched_getaffinity(0))

    @property
    def trial_count(self) -> int:
        return len(self.faults) * self.seeds


def drill(engine: Engine, plan: DrillPlan, on_result: OnResult = lambda result: None) -> Scoreboard:
    """Ctrl-C ends the workers; what was found until then is still reported."""
    started = time.monotonic()
    twins: list[HealthyTrial] = []
    trials: list[FaultTrial] = []
    with suppress(KeyboardInterrupt):
        for result in _results(engine, plan):
            (twins if isinstance(result, HealthyTrial) else trials).append(result)  # type: ignore[arg-type]
            on_result(result)
    elapsed = time.monotonic() - started
    return Scoreboard(plan.subject, plan.seeds, tuple(twins), tuple(trials), elapsed, plan.trial_count)


def _results(engine: Engine, plan: DrillPlan) -> Iterator[HealthyTrial | FaultTrial]:
    first, kinds = _first_healthy_trial(engine, plan)
    yield first
    others = {seed: partial(healthy_trial, engine, plan.build, seed) for seed in range(1, plan.seeds)}
    for seed, twin in run_forked(others, plan.processes):
        yield healthy_result(twin, seed)
    work: dict[tuple[str, int], Callable[[], Any]] = {}
    for fault in plan.faults:
        reason = not_applicable_reason(fault.applies_to, kinds)
        for seed in range(plan.seeds):
            if reason:
                yield empty_trial(fault, seed, reason=reason)
            else:
                work[fault.id, seed] = partial(trial, engine, plan.build, fault, seed)
    faults = {fault.id: fault for fault in plan.faults}
    for (id, seed), result in run_forked(work, plan.processes):
        broken = isinstance(result, WorkerFailure)
        yield empty_trial(faults[id], seed, TrialStatus.UNPROVEN, result.reason) if broken else result


def _first_healthy_trial(engine: Engine, plan: DrillPlan) -> tuple[HealthyTrial, tuple[str, ...]]:
    """Also imports the modules that a subject needs: once here, so that no worker has to."""

    def look() -> tuple[HealthyTrial, list[str]]:
        return healthy_trial(engine, plan.build, 0), sorted(sys.modules)

    ((_, answer),) = run_forked({0: look}, 1)
    if isinstance(answer, WorkerFailure):
        raise InputError(f"{plan.subject}: the healthy subject could not be checked: {answer.reason}; fix it first")
    twin, modules = answer
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    return twin, twin.kinds


def healthy_result(answer: HealthyTrial | WorkerFailure, seed: int) -> HealthyTrial:
    if isinstance(answer, HealthyTrial):
        return answer
    return HealthyTrial(seed, (f"it could not be checked: {answer.reason}",))
