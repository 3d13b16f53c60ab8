"""A small run in plain PyTorch, as one writes it by hand: a model, batches, a loss and an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ROWS, WIDTH, CLASSES, BATCHES, TIME, VOCABULARY = 16, 16, 8, 6, 8, 80
Loss = Callable[[Any, Tensor], Tensor]


@dataclass(frozen=True)
class ClassicRun:
    """Batches are pairs of inputs and targets; inputs that are a dict are passed by name."""

    model: nn.Module
    batches: list[tuple[Any, Tensor]]
    loss: Loss
    optimizer: torch.optim.Optimizer
    zeroes_gradients: bool = True

    def compute_loss(self, model: nn.Module, batch: Any) -> Tensor:
        inputs, targets = batch
        return self.loss(model(**inputs) if isinstance(inputs, dict) else model(inputs), targets)

    def training_step(self, batch: Any) -> Tensor:
        """One update, as the run makes it."""
        if self.zeroes_gradients:
            self.optimizer.zero_grad()
        loss = self.compute_loss(self.model, batch)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def facts(self) -> dict[str, Any]:
        """What a preflight is given; `loss` is for tools that call the model by themselves."""
        return {
            "loss": self.loss,
            "model": self.model,
            "train_batches": self.batches,
            "compute_loss": self.compute_loss,
            "optimizer": self.optimizer,
            "training_step": self.training_step,
        }


def run_of(model: nn.Module, batches: Any = None, loss: Loss = F.cross_entropy, **more: Any) -> ClassicRun:
    """A run with Adam over all parameters, on rows of eight classes unless others are given."""
    optimizer = more.pop("optimizer", None) or torch.optim.Adam(model.parameters(), lr=3e-3)
    return ClassicRun(model, class_rows() if batches is None else batches, loss, optimizer, **more)


def class_rows() -> list[tuple[Tensor, Tensor]]:
    """Rows around the centre of their class."""
    centres = 1.5 * torch.randn(CLASSES, WIDTH)
    labels = [torch.arange(ROWS).remainder(CLASSES)[torch.randperm(ROWS)] for _ in range(BATCHES)]
    return [(centres[y] + torch.randn(ROWS, WIDTH), y) for y in labels]


def class_sequences() -> list[tuple[Tensor, Tensor]]:
    """Sequences of vectors around the centre of their class, one centre for each time step."""
    centres = torch.randn(CLASSES, TIME, WIDTH)
    labels = [torch.arange(ROWS).remainder(CLASSES)[torch.randperm(ROWS)] for _ in range(BATCHES)]
    return [(centres[y] + torch.randn(ROWS, TIME, WIDTH), y) for y in labels]


def padded_texts() -> list[tuple[dict[str, Tensor], Tensor]]:
    """Token ids of different length with their mask; each class has tokens of its own."""
    batches = []
    for _ in range(BATCHES):
        labels = torch.randint(0, CLASSES, (ROWS,))
        ids = 1 + labels[:, None] * 9 + torch.randint(0, 9, (ROWS, TIME))
        mask = (torch.arange(TIME) < torch.randint(3, TIME + 1, (ROWS, 1))).long()
        batches.append(({"input_ids": ids * mask, "attention_mask": mask}, labels))
    return batches


def regression_rows() -> list[tuple[Tensor, Tensor]]:
    """A number that is linear in the row."""
    slope = torch.randn(WIDTH)
    rows = [torch.randn(ROWS, WIDTH) for _ in range(BATCHES)]
    return [(x, x @ slope / WIDTH**0.5 + 0.1 * torch.randn(ROWS)) for x in rows]
