"""Reconstruction and likelihood: a target is the input or a number, and a loss may be negative."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.by_hand.generative import LATENT, WIDTH, low_rank_rows, mlp
from tests.zoo.registry import Facts, setup


@setup(short=True)
def autoencoder() -> Facts:
    """Mean squared error of a row with itself."""
    rows = low_rank_rows(640)
    model = nn.Sequential(mlp(WIDTH, 32, LATENT), mlp(LATENT, 32, WIDTH))

    def compute_loss(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(model(batch), batch)

    train, test = rows[:512].split(64), rows[512:].split(64)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": train, "eval_batches": test, "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer}


class Coupling(nn.Module):
    """RealNVP: four affine couplings of two halves."""

    def __init__(self) -> None:
        super().__init__()
        self.nets = nn.ModuleList(mlp(WIDTH // 2, 32, WIDTH) for _ in range(4))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, -1)
        log_det = torch.zeros(len(x))
        for net in self.nets:
            scale, shift = net(a).chunk(2, -1)
            scale = torch.tanh(scale)
            a, b = b * scale.exp() + shift, a
            log_det = log_det + scale.sum(-1)
        return torch.cat([a, b], -1), log_det


@setup
def normalizing_flow() -> Facts:
    """The negative log-likelihood of rows of small variance: it falls below zero."""
    loader = DataLoader(TensorDataset(0.3 * low_rank_rows()), batch_size=64, shuffle=True)
    model = Coupling()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        z, log_det = model(batch[0])
        log_prob = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1) + log_det
        return -log_prob.mean()

    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


@setup
def gaussian_nll() -> Facts:
    """Regression of mean and variance; the target's noise depends on the input, and the loss becomes negative."""
    x = torch.randn(512, 6)
    y = 0.2 * torch.tanh(x @ torch.randn(6)) + 0.02 * (1 + x[:, 0].abs()) * torch.randn(512)
    dataset = TensorDataset(x, y)
    model = mlp(6, 64, 64, 2)
    criterion = nn.GaussianNLLLoss()

    def compute_loss(model: nn.Module, batch: Any) -> torch.Tensor:
        mean, raw = model(batch[0]).unbind(-1)
        return criterion(mean, batch[1], F.softplus(raw) + 1e-4)

    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    facts = {"model": model, "train_batches": loader, "train_dataset": dataset, "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer}
