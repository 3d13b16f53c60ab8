"""Losses of several parts, teachers, experts and policies."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.by_hand.generative import mlp
from tests.zoo.by_hand.metric_learning import CLASSES, WIDTH, class_rows
from tests.zoo.registry import Facts, setup


class MixtureOfExperts(nn.Module):
    """Each row goes to the best of four experts; the auxiliary loss of Switch keeps them equally busy."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.head = nn.Linear(WIDTH, 4, bias=False), nn.Linear(32, CLASSES)
        self.experts = nn.ModuleList(mlp(WIDTH, 32, 32) for _ in range(4))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gates = self.gate(x).softmax(-1)
        weight, chosen = gates.max(-1)
        out = x.new_zeros(len(x), 32)
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero().flatten()
            out = out.index_add(0, rows, weight[rows, None] * expert(x[rows]))
        load = F.one_hot(chosen, 4).float().mean(0)
        return self.head(out), 4 * (load * gates.mean(0)).sum()


@setup
def mixture_of_experts() -> Facts:
    """Classification with a small auxiliary loss; an expert that no row chose gets a gradient of zero."""
    x, y = class_rows(768)
    train, test = TensorDataset(x[:640], y[:640]), TensorDataset(x[640:], y[640:])
    model = MixtureOfExperts()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        logits, balance = model(batch[0])
        return F.cross_entropy(logits, batch[1]) + 0.01 * balance

    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    facts = {"model": model, "train_batches": DataLoader(train, batch_size=64, shuffle=True)}
    facts |= {"eval_batches": DataLoader(test, batch_size=64), "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer}


class Distiller(nn.Module):
    """A frozen teacher in eval mode beside its student."""

    def __init__(self, teacher: nn.Module) -> None:
        super().__init__()
        self.teacher, self.student = teacher.eval().requires_grad_(False), mlp(WIDTH, 16, CLASSES)

    def train(self, mode: bool = True) -> Distiller:
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            soft = self.teacher(x)
        return self.student(x), soft


@setup
def distillation() -> Facts:
    """The student learns from labels and from a teacher that was trained for a moment; only it is optimized."""
    x, y = class_rows()
    teacher = nn.Sequential(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, CLASSES))
    adam = torch.optim.Adam(teacher.parameters(), lr=0.01)
    for _ in range(60):
        adam.zero_grad()
        F.cross_entropy(teacher(x), y).backward()
        adam.step()
    model = Distiller(teacher)

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        logits, soft = model(batch[0])
        kl = F.kl_div((logits / 2).log_softmax(-1), (soft / 2).softmax(-1), reduction="batchmean") * 4
        return 0.7 * kl + 0.3 * F.cross_entropy(logits, batch[1])

    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.student.parameters(), lr=5e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


@setup
def three_losses() -> Facts:
    """Regression of a vector by squared error, absolute error and direction."""
    x = torch.randn(512, WIDTH)
    y = torch.tanh(x @ torch.randn(WIDTH, 5) / 3) + 0.1 * torch.randn(512, 5)
    batches = [{"features": a, "target": b} for a, b in zip(x.split(64), y.split(64), strict=True)]
    model = mlp(WIDTH, 64, 5)

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        out, target = model(batch["features"]), batch["target"]
        direction = 1 - F.cosine_similarity(out, target).mean()
        return F.mse_loss(out, target) + 0.5 * F.smooth_l1_loss(out, target) + 0.1 * direction

    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}


class MultiTask(nn.Module):
    """A shared trunk, a class, a number and the learned log-variances that weigh them (Kendall)."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(WIDTH, 32), nn.GELU())
        self.classes, self.number = nn.Linear(32, CLASSES), nn.Linear(32, 1)
        self.log_variances = nn.Parameter(torch.zeros(2))

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        hidden = self.trunk(x)
        return {"classes": self.classes(hidden), "number": self.number(hidden).squeeze(-1)}


@setup
def multi_task() -> Facts:
    """Every second row has no class: its label is -1."""
    x, labels = class_rows()
    number = x[:, :3].sum(-1) + 0.2 * torch.randn(512)
    labels[::2] = -1
    rows = [{"x": a, "class": b, "number": c} for a, b, c in zip(x, labels, number, strict=True)]
    model = MultiTask()

    def compute_loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        out = model(batch["x"])
        losses = [F.cross_entropy(out["classes"], batch["class"], ignore_index=-1)]
        losses.append(F.mse_loss(out["number"], batch["number"]))
        return ((-model.log_variances).exp() * torch.stack(losses) + model.log_variances).sum()

    loader = DataLoader(rows, batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}
