"""Changes the batches of a set-up, whichever way it makes them: a collator, a loader, a list or a trainer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo.registry import Facts

Change = Callable[[Any], Any]
LABELS = ("labels", "label", "start_positions", "end_positions", "targets", "target", "y")


class Changed:
    """Batches, each changed on its way; of the same length, and as often as one likes."""

    def __init__(self, batches: Any, change: Change) -> None:
        self.batches, self.change = batches, change

    def __iter__(self) -> Iterator[Any]:
        return map(self.change, iter(self.batches))

    def __len__(self) -> int:
        return len(self.batches)


def change_batches(facts: Facts, change: Change) -> Facts:
    """The facts with every training batch changed."""
    if "trainer" in facts:
        trainer = facts["trainer"]
        trainer.data_collator = _after(trainer.data_collator, change)
        return facts
    changed = {"collate": _after(facts["collate"], change)} if "collate" in facts else {}
    batches = facts["train_batches"]
    if isinstance(batches, DataLoader) and batches.batch_sampler is not None:
        batches.collate_fn = _after(batches.collate_fn, change)
        return {**facts, **changed}
    return {**facts, **changed, "train_batches": Changed(batches, change)}


def _after(collate: Change, change: Change) -> Change:
    return lambda items: change(collate(items))


def loader_of(facts: Facts) -> Any:
    """What the training batches come from."""
    return facts["trainer"].get_train_dataloader() if "trainer" in facts else facts["train_batches"]


def first_batch(facts: Facts) -> Any:
    """The batch that the model gets first."""
    return next(iter(loader_of(facts)))


def loss_of(facts: Facts, batch: Any) -> torch.Tensor:
    """The loss as the set-up computes it."""
    if trainer := facts.get("trainer"):
        return trainer.compute_loss(trainer.model, trainer._prepare_inputs(batch))
    return facts["compute_loss"](facts["model"], batch) if "compute_loss" in facts else facts["model"](**batch).loss


def float_leaves(batch: Any) -> list[torch.Tensor]:
    """The batch's float tensors with rows."""
    if torch.is_tensor(batch):
        values = [batch]
    elif is_dataclass(batch):
        values = list(vars(batch).values())
    else:
        values = list(batch.values()) if isinstance(batch, Mapping) else list(batch)
    return [v for v in values if torch.is_tensor(v) and v.is_floating_point() and v.dim() > 1]


def labels_in(batch: Any) -> dict[Any, torch.Tensor]:
    """The tensors that are labels, by key; a pair's second."""
    if isinstance(batch, Mapping):
        return {key: batch[key] for key in LABELS if torch.is_tensor(batch.get(key)) and batch[key].dim()}
    pair = isinstance(batch, list | tuple) and len(batch) == 2 and torch.is_tensor(batch[1]) and batch[1].dim()
    return {1: batch[1]} if pair else {}


def with_labels(batch: Any, labels: Mapping[Any, torch.Tensor]) -> Any:
    """The batch with other labels."""
    if isinstance(batch, Mapping):
        for key, value in labels.items():
            batch[key] = value
        return batch
    return type(batch)([batch[0], labels[1]]) if labels else batch
