"""A drill from end to end: the healthy twins first, then every fault with every seed, each in a child of its own."""

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
from diagnose.common.forked_workers import Broken, in_children, interruptible
from diagnose.drill.applicability import unfit
from diagnose.drill.results import Ending, Trial, Twin, blank_of
from diagnose.drill.scoreboard import Score
from diagnose.drill.trial import Build, healthy_trial, trial
from diagnose.engine.decorators import Fault
from diagnose.engine.engine import Engine

Told = Callable[[Trial | Twin], None]


@dataclass(frozen=True)
class Plan:
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
    def asked(self) -> int:
        return len(self.faults) * self.seeds


def drill(engine: Engine, plan: Plan, tell: Told = lambda result: None) -> Score:
    """Ctrl-C ends the children; what was seen until then is still told."""
    started = time.monotonic()
    twins: list[Twin] = []
    trials: list[Trial] = []
    with interruptible(), suppress(KeyboardInterrupt):
        for result in _results(engine, plan):
            (twins if isinstance(result, Twin) else trials).append(result)  # type: ignore[arg-type]
            tell(result)
    return Score(plan.subject, plan.seeds, tuple(twins), tuple(trials), time.monotonic() - started, plan.asked)


def _results(engine: Engine, plan: Plan) -> Iterator[Twin | Trial]:
    first, kinds = _first_twin(engine, plan)
    yield first
    others = {seed: partial(healthy_trial, engine, plan.build, seed) for seed in range(1, plan.seeds)}
    for seed, twin in in_children(others, plan.processes):
        yield whole(twin, seed)
    work: dict[tuple[str, int], Callable[[], Any]] = {}
    for fault in plan.faults:
        reason = unfit(fault.applies_to, kinds)
        for seed in range(plan.seeds):
            if reason:
                yield blank_of(fault, seed, reason=reason)
            else:
                work[fault.id, seed] = partial(trial, engine, plan.build, fault, seed)
    faults = {fault.id: fault for fault in plan.faults}
    for (id, seed), result in in_children(work, plan.processes):
        broken = isinstance(result, Broken)
        yield blank_of(faults[id], seed, Ending.UNPROVEN, result.reason) if broken else result


def _first_twin(engine: Engine, plan: Plan) -> tuple[Twin, tuple[str, ...]]:
    """It also tells which modules a subject needs: imported here once, no child has to do it again."""

    def look() -> tuple[Twin, list[str]]:
        return healthy_trial(engine, plan.build, 0), sorted(sys.modules)

    ((_, answer),) = in_children({0: look}, 1)
    if isinstance(answer, Broken):
        raise InputError(f"{plan.subject}: the healthy subject could not be looked at: {answer.reason}; mend it first")
    twin, modules = answer
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    return twin, twin.kinds


def whole(answer: Any, seed: int) -> Twin:
    return Twin(seed, (f"it could not be looked at: {answer.reason}",)) if isinstance(answer, Broken) else answer
