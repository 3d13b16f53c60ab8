"""Images and tables: convolutions with batch norm, masks for every pixel, categories beside numbers."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from tests.zoo.registry import Facts, setup

SIDE = 12


class Stripes(Dataset):
    """Images with stripes of four directions, shifted at random at each access."""

    def __init__(self, rows: int) -> None:
        self.labels, self.noise = torch.randint(0, 4, (rows,)), 0.5 * torch.randn(rows, 1, SIDE, SIDE)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        y, x = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
        direction = (x, y, x + y, x - y)[int(self.labels[index])]
        image = torch.sin(direction * 1.2 + 6.3 * torch.rand(()))[None] + self.noise[index]
        return image, int(self.labels[index])


@setup
def image_classifier() -> Facts:
    """Convolutions with batch norm; SGD with momentum and one cycle of rates."""
    train = DataLoader(Stripes(512), batch_size=32, shuffle=True, drop_last=True)
    test = DataLoader(Stripes(64), batch_size=64)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(inplace=True),
        nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 4),
    )

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        images, labels = batch
        return F.cross_entropy(model(images), labels)

    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=320)
    facts = {"model": model, "train_batches": train, "eval_batches": test, "compute_loss": compute_loss}
    return {**facts, "optimizer": optimizer, "scheduler": scheduler, "total_steps": 320}


class Tabular(nn.Module):
    """Embedded categories beside normalized numbers; one logit."""

    def __init__(self) -> None:
        super().__init__()
        self.categories = nn.ModuleList(nn.Embedding(size, 4) for size in (5, 9))
        self.norm = nn.BatchNorm1d(6)
        self.net = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, numbers: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        parts = [table(column) for table, column in zip(self.categories, categories.unbind(-1), strict=True)]
        return self.net(torch.cat([self.norm(numbers), *parts], -1)).squeeze(-1)


@setup(short=True)
def tabular() -> Facts:
    """A yes or no from six numbers of different scales and two categories; one row in six is a yes."""
    numbers = torch.randn(1024, 6) * torch.tensor([1.0, 10.0, 100.0, 0.1, 5.0, 1000.0])
    categories = torch.stack([torch.randint(0, 5, (1024,)), torch.randint(0, 9, (1024,))], -1)
    score = numbers[:, 0] + numbers[:, 1] / 10 + (categories[:, 0] - 2) * 0.8 + 0.3 * torch.randn(1024)
    label = (score > 1.7).float()
    loader = DataLoader(TensorDataset(numbers, categories, label), batch_size=128, shuffle=True)
    model = Tabular()
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        numbers, categories, label = batch
        return criterion(model(numbers, categories), label)

    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


class UNet(nn.Module):
    """One level down, one up, and the skip between them."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU())
        self.middle = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skip = self.down(x)
        return self.out(torch.cat([skip, self.up(self.middle(skip))], 1))


@setup
def segmentation() -> Facts:
    """Background, a bright box and a dark box; the border of the image is ignored as 255."""
    images, masks = 0.3 * torch.randn(256, 1, SIDE, SIDE), torch.zeros(256, SIDE, SIDE, dtype=torch.long)
    for image, mask in zip(images, masks, strict=True):
        for kind, value in ((1, 1.5), (2, -1.5)):
            y, x = torch.randint(0, SIDE - 4, (2,)).tolist()
            image[0, y : y + 4, x : x + 4] += value
            mask[y : y + 4, x : x + 4] = kind
        mask[0], mask[-1], mask[:, 0], mask[:, -1] = 255, 255, 255, 255
    batches = [{"image": a, "mask": b} for a, b in zip(images.split(16), masks.split(16), strict=True)]
    model = UNet()

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        logits, mask = model(batch["image"]), batch["mask"]
        valid = (mask != 255)[:, None]
        truth = F.one_hot(mask.where(mask != 255, 0), 3).permute(0, 3, 1, 2) * valid
        chance = logits.softmax(1) * valid
        dice = 1 - (2 * (chance * truth).sum() + 1) / (chance.sum() + truth.sum() + 1)
        return F.cross_entropy(logits, mask, ignore_index=255) + 0.5 * dice

    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    return {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}
