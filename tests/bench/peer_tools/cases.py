"""The runs that every tool is given: classic bugs and their twins, the zoo, and the zoo with generic faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from tests.bench.peer_tools.classic_bugs import BUGS, ClassicBug
from tests.zoo.faults import FAULTS
from tests.zoo.registry import SetUp, setups

Facts = dict[str, Any]
SEEDS = range(3)


@dataclass(frozen=True)
class Case:
    """One run. `words` is a pattern for the messages that name its bug; "" for a healthy run."""

    name: str
    seed: int
    broken: bool
    build: Callable[[], Facts | None]  # None: the fault does not apply to this run
    words: str = ""


def classic() -> Iterator[Case]:
    for name, bug in BUGS.items():
        for seed, broken in product(SEEDS, (True, False)):
            yield Case(name, seed, broken, partial(_with_bug, bug, broken, seed), bug.words)


def zoo() -> Iterator[Case]:
    for name, one in setups().items():
        yield Case(name, 0, False, partial(one.facts, 0))


def zoo_faults() -> Iterator[Case]:
    for name, one in setups().items():
        yield Case(name, 0, False, partial(one.facts, 0))
        for fault in FAULTS:
            yield Case(f"{name} {fault}", 0, True, partial(_with_fault, one, fault), NAMES[fault])


def _with_bug(bug: ClassicBug, broken: bool, seed: int) -> Facts:
    return bug.run(broken, seed).facts()


def _with_fault(one: SetUp, fault: str) -> Facts | None:
    return FAULTS[fault](one.facts(0))


NAMES = {
    "labels_ignored": "label|-100|loss is exactly zero|nan",
    "head_frozen": "frozen|freez|requires_grad|trainable",
    "half_detached": "detach|graph is cut|no gradient",
    "nan_row": "nan|not finite|non-finite",
    "rate_times_1000": "learning rate|diverg|explo",
    "optimizer_of_another_model": "optimi[sz]er|did not change",
    "targets_shuffled": "label|target|align|pair",
    "zero_grad_forgotten": "zero_grad|accumulate|add up",
}
SETS: dict[str, Callable[[], Iterator[Case]]] = {"classic": classic, "zoo": zoo, "zoo_faults": zoo_faults}
