"""Batches that come from elsewhere: a stream, worker processes, a generator."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.zoo.by_hand.loops import classifier, cross_entropy, loader_of_rows
from tests.zoo.by_hand.metric_learning import class_rows
from tests.zoo.registry import Facts, setup


class Stream(IterableDataset):
    """Rows without a length and without an index; each worker reads its share."""

    def __init__(self) -> None:
        self.rows, self.labels = class_rows()

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for index in range(first, len(self.rows), step):
            yield {"x": self.rows[index], "label": self.labels[index]}


@setup
def iterable_dataset() -> Facts:
    """A loader over a stream; the number of steps is a setting."""
    stream, model = Stream(), classifier()

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return F.cross_entropy(model(batch["x"]), batch["label"])

    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": DataLoader(stream, batch_size=32), "train_dataset": stream}
    return {**facts, "compute_loss": compute_loss, "optimizer": optimizer, "total_steps": 500}


@setup
def loader_with_workers() -> Facts:
    """Two worker processes make the batches."""
    model = classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": loader_of_rows(num_workers=2, persistent_workers=True)}
    return {**facts, "compute_loss": cross_entropy, "optimizer": optimizer}


@setup
def one_shot_generator() -> Facts:
    """The batches are a generator, which can be read once.

    Expected: no alarm, and all 64 batches are left afterwards. The preflight says that train_batches can be read only
    once, and to pass what can be iterated again (a list, a DataLoader).
    """
    x, y = class_rows(64 * 32)
    model = classifier()
    batches = ((x[i : i + 32], y[i : i + 32]) for i in range(0, len(x), 32))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return {"model": model, "train_batches": batches, "compute_loss": cross_entropy, "optimizer": optimizer}
