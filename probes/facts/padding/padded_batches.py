"""One item of the training set alone, and padded beside a longer one."""

from dataclasses import dataclass
from typing import Any

from probes.facts.core.batch_rows import Collate
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart


@dataclass(frozen=True)
class PaddedBatches:
    """A batch of one item, the same once more (a collator may draw at random), and one of it beside a longer item."""

    alone: Any
    second: Any
    pair: Any


def collate_padded(dataset: Any, shortest: int, longest: int, collate: Collate) -> PaddedBatches:
    """Each item is read once: a dataset may draw at random as well."""

    def work() -> PaddedBatches:
        short, long = dataset[shortest], dataset[longest]
        alone, second = (collate([copy_batch(short)]) for _ in range(2))
        return PaddedBatches(alone, second, collate([copy_batch(short), copy_batch(long)]))

    return run_apart(work, dataset, collate)
