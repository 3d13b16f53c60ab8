"""Batches of other types than a dict or a pair: what a collator of a stranger returns."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.by_hand.generative import mlp
from tests.zoo.by_hand.metric_learning import CLASSES, WIDTH, class_rows
from tests.zoo.registry import Facts, setup

Items = list[tuple[torch.Tensor, torch.Tensor]]


def stacked(items: Items) -> tuple[torch.Tensor, torch.Tensor]:
    rows, labels = zip(*items, strict=True)
    return torch.stack(rows), torch.stack(labels)


def facts_with(collate: Callable[[Items], Any], read: Callable[[Any], tuple[torch.Tensor, torch.Tensor]]) -> Facts:
    """A classifier whose loss reads the batch that this collator makes."""
    dataset = list(zip(*class_rows(), strict=True))
    model = mlp(WIDTH, 32, CLASSES)

    def compute_loss(model: nn.Module, batch: Any) -> torch.Tensor:
        features, labels = read(batch)
        return F.cross_entropy(model(features), labels)

    loader = DataLoader(dataset, batch_size=32, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    facts = {"model": model, "train_batches": loader, "train_dataset": dataset, "collate": collate}
    return {**facts, "compute_loss": compute_loss, "optimizer": optimizer}


@dataclass
class FeatureBatch:
    """A dataclass with a method, as in many projects."""

    features: torch.Tensor
    labels: torch.Tensor
    names: list[str]

    def to(self, device: str) -> FeatureBatch:
        return FeatureBatch(self.features.to(device), self.labels.to(device), self.names)


class Sample(NamedTuple):
    """A named tuple with a weight for each row."""

    features: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor


@setup(short=True)
def dataclass_batch() -> Facts:
    """A dataclass with tensors and a list of strings."""

    def collate(items: Items) -> FeatureBatch:
        return FeatureBatch(*stacked(items), names=[f"row {number}" for number in range(len(items))])

    return facts_with(collate, lambda batch: (batch.to("cpu").features, batch.labels))


@setup
def namedtuple_batch() -> Facts:
    """A named tuple of three tensors."""
    return facts_with(lambda items: Sample(*stacked(items), torch.ones(len(items))), lambda b: (b.features, b.labels))


@setup
def list_batch() -> Facts:
    """A list of rows, which the loss stacks."""
    return facts_with(lambda items: items, stacked)


@setup
def ordered_dict_batch() -> Facts:
    """An OrderedDict with keys of the author's own."""
    return facts_with(lambda items: OrderedDict(zip(("inp", "tgt"), stacked(items), strict=True)), pair_of)


@setup
def user_dict_batch() -> Facts:
    """A UserDict, as transformers' BatchEncoding is."""
    return facts_with(lambda items: UserDict(zip(("inp", "tgt"), stacked(items), strict=True)), pair_of)


def pair_of(batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
    return batch["inp"], batch["tgt"]


@setup
def tensor_batch() -> Facts:
    """One tensor of tokens; the loss predicts each from the one before."""
    follows = torch.randperm(16)
    rows = [torch.randint(0, 16, (256,))]
    for _ in range(9):
        noise = torch.randint(0, 16, (256,))
        rows.append(torch.where(torch.rand(256) < 0.9, follows[rows[-1]], noise))
    model = nn.Sequential(nn.Embedding(16, 16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))

    def compute_loss(model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    loader = DataLoader(torch.stack(rows, -1), batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}
