"""Makes a batch of the same items twice, under two seeds, in a child."""

from collections.abc import Callable
from typing import Any

from diagnose.engine.seeding import seed_all
from diagnose.engine.traits import Trait
from probes.facts.core.digest import digest_of
from probes.facts.core.fork import run_apart
from probes.facts.core.numbers import evenly_spaced

ITEMS = 8  # a mask that is drawn for each of some tokens is the same twice in none of 10 seeds


def trait_of_batches(dataset: Any, collate: Any, part: Callable[[Any], Any]) -> Trait:
    """Whether `part` of the batch is the same, bit for bit, whatever the random numbers are."""
    numbers = evenly_spaced(range(len(dataset)), ITEMS)

    def drawn(seed: int) -> str:
        seed_all(seed)
        return digest_of(part(collate([dataset[number] for number in numbers])))

    first, second = run_apart(lambda: (drawn(1), drawn(2)), dataset, collate)
    same = "the same" if first == second else "different"
    return Trait(first == second, f"{len(numbers)} items were collated under two seeds: {same}")
