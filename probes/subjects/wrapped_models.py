"""Models that faults put around the classifier."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from probes.subjects.classifier import CLASSES


def with_model(facts: dict[str, Any], model: nn.Module, **more: Any) -> dict[str, Any]:
    """The facts with another model, and an optimizer over it."""
    return {**facts, "model": model, "optimizer": torch.optim.AdamW(model.parameters(), lr=3e-3), **more}


class Wrapped(nn.Module):
    """The model, with a norm beside it that nobody calls."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.norm = inner, nn.LayerNorm(CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


class Masked(nn.Module):
    """Takes a mask, and does nothing with it."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.inner(x)


def masked_loss(model: nn.Module, batch: Any) -> Tensor:
    x, y = batch
    return cross_entropy(model(x, (x > 0).long()), y)
