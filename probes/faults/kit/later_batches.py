"""A change of one batch beyond the first: the batches become a list, of which the last is changed."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts


def with_last_batch(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with the batches of an epoch in a list."""
    from itertools import islice

    batches = list(islice(iter(facts["train_batches"]), 6))
    return {**facts, "train_batches": [*batches[:-1], change(batches[-1])]}


def values_of(batch: Any) -> list[Any]:
    return list(batch.values() if hasattr(batch, "values") else batch)


def last_differs(facts: Facts, test: Callable[[Any], bool]) -> bool:
    """Whether the test holds for the last batch and not for the first."""
    batches = facts["train_batches"]
    return isinstance(batches, list) and test(batches[-1]) and not test(batches[0])
