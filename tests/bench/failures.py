"""Failures that people reported in public: which a preflight tells, stops and names, and what it says of the twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from tests.bench.report import Measured
from tests.zoo.failures.cases import cases
from tests.zoo.verdicts import Result

Script = tuple[str, bool]  # case, broken


def examine(script: Script) -> Result:
    """A preflight of one script."""
    name, broken = script
    return cases()[name].look(broken)


def measure_broken() -> Measured:
    """Of the broken scripts: told, stopped, named by a probe that rightly names them; and which were not."""
    found = {cases()[name]: result for (name, _), result in run((name, True) for name in cases())}
    told = {case: result for case, result in found.items() if result.told}
    named = [case for case, result in told.items() if case.is_named(result)]
    figures: dict[str, Any] = {"cases": len(found), "failures": len({case.fault for case in found}), "told": len(told)}
    figures |= {"stopped": sum(bool(result.errors) for result in told.values()), "named": len(named)}
    figures["not told"] = "; ".join(case.name for case in found if case not in told) or "none"
    figures["told otherwise"] = "; ".join(case.name for case in told if case not in named) or "none"
    return Measured(figures, "1 seed")


def measure_healthy() -> Measured:
    """Of their healthy twins: what is said of them, and which get no go."""
    found = {name: result for (name, _), result in run((name, False) for name in cases())}
    alarms = [f"{name} {probe}" for name, result in found.items() for probe in result.told]
    held = [name for name, result in found.items() if result.verdict != "go"]
    figures: dict[str, Any] = {"twins": len(found), "go": len(found) - len(held)}
    return Measured(figures | {"alarms": "; ".join(alarms) or "none", "no go": "; ".join(held) or "none"}, "1 seed")


def run(scripts: Iterable[Script]) -> Iterator[tuple[Script, Result]]:
    """Two processes, each replaced after some scripts: libraries leave much behind."""
    scripts = list(scripts)
    with ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=20) as pool:
        yield from zip(scripts, pool.map(examine, scripts), strict=True)


MEASUREMENTS = {"broken": measure_broken, "healthy": measure_healthy}
