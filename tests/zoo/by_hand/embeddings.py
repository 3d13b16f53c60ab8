"""Tables of embeddings: words, items and two modalities, with sparse gradients or few rows in a step."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.zoo.by_hand.generative import mlp
from tests.zoo.by_hand.metric_learning import CLASSES, WIDTH, class_rows
from tests.zoo.registry import Facts, setup

WORDS = 60


class SkipGram(nn.Module):
    """Word vectors with sparse gradients, and the loss in the forward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.centers, self.contexts = (nn.Embedding(WORDS, 16, sparse=True) for _ in range(2))
        nn.init.uniform_(self.centers.weight, -0.5 / 16, 0.5 / 16)
        nn.init.zeros_(self.contexts.weight)

    def forward(self, center: torch.Tensor, context: torch.Tensor, negatives: torch.Tensor) -> torch.Tensor:
        v = self.centers(center)
        positive = (v * self.contexts(context)).sum(-1)
        negative = (self.contexts(negatives) @ v.unsqueeze(-1)).squeeze(-1)
        return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1)).mean()


@setup
def word2vec() -> Facts:
    """Skip-gram with negative sampling; words of one topic occur together. Context vectors begin at zero."""
    center = torch.randint(0, WORDS, (4096,))
    context = (center // 10) * 10 + torch.randint(0, 10, (4096,))
    pairs = torch.stack([center, context], -1)
    model = SkipGram()

    def collate(items: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        c, o = torch.stack(items).unbind(-1)
        return {"center": c, "context": o, "negatives": torch.randint(0, WORDS, (len(c), 5))}

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return model(**batch)

    loader = DataLoader(pairs, batch_size=256, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}


class TwoTowers(nn.Module):
    """CLIP in small: similarities of rows and token sequences, with a learned temperature."""

    def __init__(self) -> None:
        super().__init__()
        self.image, self.text = mlp(WIDTH, 32, 16), nn.EmbeddingBag(4 * CLASSES, 16)
        self.logit_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, image: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        image, text = F.normalize(self.image(image), dim=-1), F.normalize(self.text(text), dim=-1)
        return self.logit_scale.exp() * image @ text.T


@setup
def two_towers() -> Facts:
    """The cross-entropy of both directions; the targets are positions in the batch."""
    rows, labels = class_rows()
    tokens = labels[:, None] * 4 + torch.randint(0, 4, (512, 6))
    loader = DataLoader(TensorDataset(rows, tokens), batch_size=64, shuffle=True)
    model = TwoTowers()

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        logits = model(*batch)
        target = torch.arange(len(logits))
        return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2

    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=400)
    facts = {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}
    return {**facts, "scheduler": scheduler, "total_steps": 400}


class Recommender(nn.Module):
    """Matrix factorization with biases."""

    def __init__(self, users: int, items: int) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(users, 8), nn.Embedding(items, 8)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, user: torch.Tensor, item: torch.Tensor) -> torch.Tensor:
        score = (self.users(user) * self.items(item)).sum(-1, keepdim=True)
        return (score + self.user_bias(user) + self.item_bias(item)).squeeze(-1)


@setup
def recommender() -> Facts:
    """Ratings of items by users, with the mean squared error."""
    user, item = torch.randint(0, 50, (2048,)), torch.randint(0, 40, (2048,))
    taste = torch.randn(50, 3) @ torch.randn(3, 40)
    rating = (3 + taste[user, item] + 0.2 * torch.randn(2048)).clamp(1, 5)
    loader = DataLoader(TensorDataset(user, item, rating), batch_size=128, shuffle=True)
    model = Recommender(50, 40)

    def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        users, items, ratings = batch
        return F.mse_loss(model(users, items), ratings)

    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-5)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss, "optimizer": optimizer}
