"""Training loops of strangers on one small problem: optimizers, averages, precision and accumulation."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.by_hand.generative import mlp
from tests.zoo.by_hand.metric_learning import CLASSES, WIDTH, class_rows
from tests.zoo.registry import Facts, setup


def cross_entropy(model: nn.Module, batch: Any) -> torch.Tensor:
    x, y = batch
    return F.cross_entropy(model(x), y)


def classifier() -> nn.Sequential:
    return mlp(WIDTH, 32, 32, CLASSES)


def loader_of_rows(**options: Any) -> DataLoader:
    return DataLoader(TensorDataset(*class_rows()), batch_size=32, shuffle=True, **options)


@setup
def two_optimizers() -> Facts:
    """Adam for the body and SGD for the head, both stepped in the training step; the author gives a list of them."""
    body, head = mlp(WIDTH, 32, 32), nn.Linear(32, CLASSES)
    model = nn.Sequential(body, nn.ReLU(), head)
    optimizers = [torch.optim.Adam(body.parameters(), lr=3e-3), torch.optim.SGD(head.parameters(), lr=0.1)]

    def training_step(batch: list[torch.Tensor]) -> torch.Tensor:
        loss = cross_entropy(model, batch)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        return loss.detach()

    facts = {"model": model, "train_batches": loader_of_rows(), "training_step": training_step}
    return {**facts, "compute_loss": cross_entropy, "optimizer": optimizers}


@setup
def lbfgs() -> Facts:
    """Logistic regression on all rows at once; the optimizer needs a closure."""
    model = nn.Linear(WIDTH, CLASSES)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    facts = {"model": model, "train_batches": [class_rows(2048)], "compute_loss": cross_entropy}
    return {**facts, "optimizer": optimizer}


@setup
def ema_of_weights() -> Facts:
    """The step updates an average of the weights, which is what will be evaluated."""
    model = classifier()
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    def training_step(batch: list[torch.Tensor]) -> torch.Tensor:
        optimizer.zero_grad()
        loss = cross_entropy(model, batch)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
        return loss.detach()

    facts = {"model": model, "train_batches": loader_of_rows(), "training_step": training_step}
    return {**facts, "compute_loss": cross_entropy, "optimizer": optimizer}


@setup
def bf16_autocast() -> Facts:
    """The loss is computed under autocast to bfloat16; the weights stay float32."""
    model = nn.Sequential(nn.Linear(WIDTH, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, CLASSES))

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return cross_entropy(model, batch)

    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": loader_of_rows(), "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer, "precision": "bf16"}


@setup
def float64_model() -> Facts:
    """A physicist's regression in double precision."""
    x = torch.rand(256, 2, dtype=torch.float64) * 4 - 2
    y = torch.sin(x[:, :1]) * x[:, 1:] + 0.01 * torch.randn(256, 1, dtype=torch.float64)
    model = nn.Sequential(nn.Linear(2, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1)).double()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        return F.mse_loss(model(batch[0]), batch[1])

    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


@setup
def gradient_accumulation() -> Facts:
    """Two calls of the step make one update, counted by the author."""
    model = classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    calls = {"count": 0}

    def training_step(batch: list[torch.Tensor]) -> torch.Tensor:
        loss = cross_entropy(model, batch)
        (loss / 2).backward()
        calls["count"] += 1
        if calls["count"] % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
        return loss.detach()

    facts = {"model": model, "train_batches": loader_of_rows(), "training_step": training_step}
    return {**facts, "compute_loss": cross_entropy, "optimizer": optimizer}
