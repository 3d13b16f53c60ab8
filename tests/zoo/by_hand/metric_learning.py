"""Embeddings learned from pairs and triplets: a row means nothing without the others of its batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from tests.zoo.by_hand.generative import mlp
from tests.zoo.registry import Facts, setup

WIDTH, CLASSES = 12, 8


def class_rows(rows: int = 512) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows around the centre of their class."""
    labels = torch.randint(0, CLASSES, (rows,))
    return torch.randn(CLASSES, WIDTH)[labels] + torch.randn(rows, WIDTH), labels


@setup
def simclr() -> Facts:
    """InfoNCE of two noisy views; the views are drawn in the loss, and the targets are positions in the batch."""
    rows, _ = class_rows()
    loader = DataLoader(TensorDataset(rows), batch_size=64, shuffle=True, drop_last=True)
    model = nn.Sequential(mlp(WIDTH, 64, 32), nn.LeakyReLU(), nn.Linear(32, 16))

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        views = torch.cat([batch[0], batch[0]])
        views = views + 0.3 * torch.randn_like(views)
        z = F.normalize(model(views), dim=-1)
        similarity = (z @ z.T / 0.2).fill_diagonal_(float("-inf"))
        return F.cross_entropy(similarity, torch.arange(len(z)).roll(len(z) // 2))

    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


class Triplets(Dataset):
    """Draws a positive and a negative anew at every access."""

    def __init__(self) -> None:
        self.rows, self.labels = class_rows()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        same = (self.labels == self.labels[index]).nonzero().flatten()
        other = (self.labels != self.labels[index]).nonzero().flatten()
        positive, negative = (part[torch.randint(len(part), ())] for part in (same, other))
        return self.rows[index], self.rows[positive], self.rows[negative]


@setup
def triplets() -> Facts:
    """A margin between a row of the same class and one of another."""
    dataset = Triplets()
    model = mlp(WIDTH, 32, 8)
    criterion = nn.TripletMarginLoss(margin=1.0)

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        anchor, positive, negative = batch
        return criterion(model(anchor), model(positive), model(negative))

    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    facts = {"model": model, "train_batches": loader, "train_dataset": dataset, "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer}


class Siamese(nn.Module):
    """How far two rows are from each other, by one encoder for both."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = mlp(WIDTH, 32, 8)

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return F.pairwise_distance(self.encoder(left), self.encoder(right))


@setup(short=True)
def siamese() -> Facts:
    """Pairs with a label 1 for the same class; the contrastive loss of Hadsell."""
    rows, labels = class_rows(1024)
    left, right = rows.chunk(2)
    right[::2] = left[::2] + 0.4 * torch.randn_like(left[::2])
    same = (labels[:512] == labels[512:]).float()
    same[::2] = 1.0
    pairs = [{"left": a, "right": b, "label": c} for a, b, c in zip(left, right, same, strict=True)]
    model = Siamese()

    def collate(items: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
        return {key: torch.stack([item[key] for item in items]) for key in items[0]}

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        distance, same = model(batch["left"], batch["right"]), batch["label"]
        return (same * distance.pow(2) + (1 - same) * F.relu(1.5 - distance).pow(2)).mean()

    loader = DataLoader(pairs, batch_size=32, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    facts = {"model": model, "train_batches": loader, "train_dataset": pairs, "collate": collate}
    return {**facts, "compute_loss": compute_loss, "optimizer": optimizer}
