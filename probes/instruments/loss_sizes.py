"""How many items a batch of the run holds, and batches of chosen items."""

from collections.abc import Callable, Sequence
from typing import Any

from torch.utils.data import BatchSampler

from probes.instruments.batches import copied
from probes.instruments.collation import input_of
from probes.instruments.forked import CannotFork, in_child
from probes.instruments.loss_rows import LabelsOf, rows_of_batch
from probes.instruments.observer import observed

Collate = Callable[[list[Any]], Any]


def collated(dataset: Any, groups: Sequence[Sequence[int]], collate: Collate) -> list[Any]:
    """One batch for each group, made in a child: loading and collating may draw at random and count."""

    def work() -> list[Any]:
        return [collate([copied(dataset[number]) for number in group]) for group in groups]

    try:
        return in_child(work)
    except CannotFork:
        with observed(others=(dataset, collate)):
            return work()


def batch_room(batch: Any, labels_of: LabelsOf, dataset: Any, collate: Collate, loader: Any) -> tuple[int, int | None]:
    """Items in a batch; and its size in numbers, where a sampler of the run's own may bound that instead."""
    rows = rows_of_batch(batch, labels_of(batch))
    (one,) = collated(dataset, [[0]], collate)
    each = rows_of_batch(one, labels_of(one))
    sampler = getattr(loader, "batch_sampler", None)
    read = input_of(batch)
    own = sampler is not None and type(sampler) is not BatchSampler and read is not None
    return max(1, rows // max(each, 1)), read[1].numel() if own and read else None
