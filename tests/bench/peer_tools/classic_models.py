"""The models of the classic bugs; each takes `broken`, and is right without it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.bench.peer_tools.classic_runs import CLASSES, TIME, VOCABULARY, WIDTH

HIDDEN = 32


def classifier(*before: nn.Module, hidden: int = HIDDEN) -> nn.Sequential:
    return nn.Sequential(*before, nn.Linear(WIDTH, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES))


class Net(nn.Module):
    """A body, a head, and what lies between them."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        self.body, self.head = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.between(F.relu(self.body(x))))

    def between(self, hidden: Tensor) -> Tensor:
        return hidden


class SoftmaxOverRows(Net):
    """Hidden units are weighed against each other; broken: against those of the other rows."""

    def between(self, hidden: Tensor) -> Tensor:
        return hidden * hidden.softmax(0 if self.broken else -1)


class GraphCut(Net):
    """Broken: `.data` cuts the graph, and the body stays as it was drawn."""

    def between(self, hidden: Tensor) -> Tensor:
        return hidden.data if self.broken else hidden


class DropoutAlwaysOn(Net):
    """Broken: F.dropout without training=."""

    def between(self, hidden: Tensor) -> Tensor:
        return F.dropout(hidden, 0.3, training=True if self.broken else self.training)


class UnusedNorm(Net):
    """Broken: the norm is defined and never called."""

    def __init__(self, broken: bool) -> None:
        super().__init__(broken)
        self.norm = nn.LayerNorm(HIDDEN)

    def between(self, hidden: Tensor) -> Tensor:
        return hidden if self.broken else self.norm(hidden)


class PlainList(Net):
    """Broken: the layers are in a Python list, so that they are no part of the model."""

    def __init__(self, broken: bool) -> None:
        super().__init__(broken)
        layers = [nn.Linear(HIDDEN, HIDDEN) for _ in range(2)]
        self.layers = layers if broken else nn.ModuleList(layers)

    def between(self, hidden: Tensor) -> Tensor:
        for layer in self.layers:
            hidden = F.relu(layer(hidden))
        return hidden


class InPlace(Net):
    """Scales its rows; broken: in the batch itself, which is smaller in every epoch."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.mul_(0.5) if self.broken else x * 0.5)


class Gates(Net):
    """Learned gates with a penalty; broken: `where` does not keep the gradient of sqrt at a closed gate from NaN."""

    def __init__(self, broken: bool) -> None:
        super().__init__(broken)
        self.gate = nn.Parameter(torch.full((HIDDEN,), 0.05))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return super().forward(x), 0.1 * self.gate.clamp(min=0).sum()

    def between(self, hidden: Tensor) -> Tensor:
        root = self.gate.sqrt() if self.broken else self.gate.clamp(min=1e-6).sqrt()
        return hidden * torch.where(self.gate > 0, root, 0.0)


class TwoTowers(nn.Module):
    """One tower for each half of the features; broken: both get the first half."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        self.user, self.item = nn.Linear(WIDTH // 2, HIDDEN), nn.Linear(WIDTH // 2, HIDDEN)
        self.head = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        user, item = x.chunk(2, -1)
        return self.head(F.relu(self.user(user) + self.item(user if self.broken else item)))


class ViewForTranspose(nn.Module):
    """A recurrent net that takes time first; broken: the batch is viewed in that shape, not transposed."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        self.rnn, self.head = nn.GRU(WIDTH, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        rows, time, width = x.shape
        hidden, _ = self.rnn(x.reshape(time, rows, width) if self.broken else x.transpose(0, 1))
        return self.head(hidden[-1])


class BatchFirst(nn.Module):
    """Self-attention over time; broken: without batch_first it runs over the rows."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=not broken)
        self.head = nn.Linear(TIME * WIDTH, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head((x + self.attention(x, x, x)[0]).flatten(1))


class FirstStepOnly(nn.Module):
    """Classifies by the last hidden state; broken: by the first, which has read one time step."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.place = 0 if broken else -1
        self.rnn, self.head = nn.LSTM(WIDTH, HIDDEN, batch_first=True), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0][:, self.place])


class MaskIgnored(nn.Module):
    """The mean of token embeddings; broken: padding counts as well."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        self.embedding, self.head = nn.Embedding(VOCABULARY, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden, mask = self.embedding(input_ids), attention_mask[..., None].float()
        return self.head(hidden.mean(1) if self.broken else (hidden * mask).sum(1) / mask.sum(1))
