"""A plain classifier on pairs (x, y): batch norm, dropout, and a loss of its own."""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import TensorDataset, default_collate

from probes.subjects.tone_corpus import facts_of

CLASSES, WIDTH = 5, 12
HELD_OUT = 10_001  # no seed of a subject: the held-out rows would be the training rows


def compute_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    x, y = batch
    return cross_entropy(model(x), y)


def classifier() -> dict[str, Any]:
    """Classes are clouds around points of their own: there is something to learn."""
    y = torch.arange(60) % CLASSES
    x = torch.eye(WIDTH)[y] * 3 + torch.randn(60, WIDTH)
    layers = [nn.Linear(WIDTH, 24), nn.BatchNorm1d(24), nn.GELU(), nn.Dropout(0.1), nn.Linear(24, CLASSES)]
    more = torch.eye(WIDTH)[y] * 3 + torch.randn(60, WIDTH, generator=torch.Generator().manual_seed(HELD_OUT))
    sets = {"dataset": TensorDataset(x, y), "held_out": TensorDataset(more, y)}
    facts = facts_of(nn.Sequential(*layers), default_collate, **sets, compute_loss=compute_loss)
    return {**facts, "compute_metrics": accuracy, "evaluate": lambda: evaluate(facts["model"], x, y)}


def accuracy(predictions: Any, labels: Any) -> dict[str, float]:
    return {"accuracy": float((np.asarray(predictions).argmax(-1) == np.asarray(labels)).mean())}


def evaluate(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> dict[str, float]:
    model.eval()
    with torch.no_grad():
        return accuracy(model(x), y)
