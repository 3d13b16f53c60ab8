"""The zoo: what a preflight says of healthy runs of others, of eight faults in each, and whether it changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import torch

from tests.bench.report import Measured
from tests.zoo.faults import FAULTS
from tests.zoo.registry import setups
from tests.zoo.training import train
from tests.zoo.verdicts import Result, look

SEEDS = range(3)
STEPS = 10
Case = tuple[str, str, int]  # set-up, fault or "", seed


def examine(case: Case) -> Result | None:
    """A preflight of one case; None where the fault does not apply."""
    name, fault, seed = case
    facts: Any = setups()[name].facts(seed)
    facts = FAULTS[fault](facts) if fault else facts
    return look(facts, seed) if facts is not None else None


def is_unchanged(case: Case) -> bool:
    """Ten steps after a preflight are ten steps without one, to the bit."""
    name, _, seed = case
    runs = []
    for looks in (False, True):
        facts = setups()[name].facts(seed)
        torch.manual_seed(seed)
        if looks:
            look(facts, seed)
        torch.manual_seed(seed)
        losses = train(facts, STEPS)
        model = facts["trainer"].model if "trainer" in facts else facts["model"]
        runs.append((losses, [value.clone() for value in model.state_dict().values() if torch.is_tensor(value)]))
    (before, weights), (after, others) = runs
    return before == after and all(torch.equal(one, other) for one, other in zip(weights, others, strict=True))


def measure_healthy() -> Measured:
    """Errors, warnings and verdicts over all set-ups and seeds, and which they were."""
    found = dict(run(examine, [(name, "", seed) for name in setups() for seed in SEEDS]))
    results = {case: result for case, result in found.items() if result is not None}
    verdicts = [result.verdict for result in results.values()]
    alarms = [f"{name} {seed} {line.split(':')[0]}" for (name, _, seed), r in results.items() for line in r.errors]
    warnings = [f"{name} {seed} {line.split(':')[0]}" for (name, _, seed), r in results.items() for line in r.warnings]
    open_ones = [f"{name} {seed}" for (name, _, seed), r in results.items() if r.verdict == "inconclusive"]
    figures = {"set-ups": len(setups()), "runs": len(results), "go": verdicts.count("go")}
    figures |= {"no-go": verdicts.count("no-go"), "inconclusive": verdicts.count("inconclusive")}
    lists = {"errors": alarms, "warnings": warnings, "inconclusive runs": open_ones}
    return Measured(figures | {key: "; ".join(lines) or "none" for key, lines in lists.items()}, f"{len(SEEDS)} seeds")


def measure_faults() -> Measured:
    """For each fault: into how many set-ups it can be put, how many of these are stopped, warned of or not told."""
    found = list(run(examine, [(name, fault, 0) for name in setups() for fault in FAULTS]))
    figures: dict[str, Any] = {}
    for fault in FAULTS:
        results = {name: r for (name, which, _), r in found if which == fault and r is not None}
        missed = [name for name, result in results.items() if not result.told]
        figures[fault] = {
            "put in": len(results),
            "stopped": sum(bool(result.errors) for result in results.values()),
            "warned": sum(bool(result.warnings and not result.errors) for result in results.values()),
            "not told": "; ".join(missed) or "none",
        }
    return Measured(figures, "1 seed")


def measure_law() -> Measured:
    """Set-ups whose training after a preflight differs from training without one."""
    found = dict(run(is_unchanged, [(name, "", 0) for name in setups()]))
    changed = [name for (name, _, _), same in found.items() if not same]
    return Measured({"set-ups": len(found), "changed": "; ".join(changed) or "none"}, "1 seed")


def run(work: Callable[[Case], Any], cases: Iterable[Case]) -> Iterator[tuple[Case, Any]]:
    """Two processes, each replaced after some cases: libraries leave much behind."""
    cases = list(cases)
    with ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=20) as pool:
        yield from zip(cases, pool.map(work, cases), strict=True)


MEASUREMENTS = {"healthy": measure_healthy, "faults": measure_faults, "law": measure_law}
