"""Section 10: what shows after the first batch."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.failures._models import Tagger, bands
from tests.zoo.failures.cases import failure
from tests.zoo.failures.parameters import commands
from tests.zoo.registry import Facts


@failure("trn_second_batch_raises", "LOS017", "GRD018", "LOS015", "DAT003", short=True)
def second_batch_raises(broken: bool) -> Facts:
    """The model keeps the hidden state of the last batch, and the last batch is smaller."""

    class Stateful(Tagger):
        state: Any = None

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            out, self.state = self.lstm(frames, self.state)
            if not broken:
                self.state = None
            return self.head(out.mean(1))

    return commands(Stateful(), rows=84)


@failure("trn_second_batch_raises", "LOS017", "LOS015", "LOS003", "GRD018")
def positions_made_for_the_first_batch(broken: bool) -> Facts:
    """Positions are made for the length of the first batch; a later batch is longer."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(60, 32), nn.Linear(32, 2)
            self.register_buffer("positions", torch.randn(12 if broken else 40, 32))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            places: Any = self.positions
            return self.head((self.embed(ids) + places[: ids.shape[1]]).mean(1))

    rows = [(torch.randint(1 + 30 * (n % 2), 30 + 30 * (n % 2), (8 + (n // 20) * 4,)), n % 2) for n in range(80)]
    batches = [(torch.stack([a for a, _ in rows[n : n + 8]]), torch.tensor([b for _, b in rows[n : n + 8]]))
               for start in range(0, 80, 20) for n in (start, start + 8)]  # fmt: skip
    model, criterion = Net(), nn.CrossEntropyLoss()
    loss = {"compute_loss": lambda m, b: criterion(m(b[0]), b[1])}
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.Adam(model.parameters(), 1e-2), **loss}


@failure("trn_evaluation_in_train_mode", "GEN012", "GEN013")
def evaluation_without_eval(broken: bool) -> Facts:
    """evaluate() never calls model.eval()."""
    model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
    rows = [(frames.mean(0), label) for frames, label in bands()]
    test = DataLoader(rows[80:], batch_size=8)
    criterion = nn.CrossEntropyLoss()

    def evaluate() -> dict[str, float]:
        if not broken:
            model.eval()
        with torch.no_grad():
            right = sum(int((model(frames).argmax(-1) == labels).sum()) for frames, labels in test)
        model.train()
        return {"accuracy": right / 16}

    facts: Facts = {"model": model, "train_batches": DataLoader(rows[:80], batch_size=8, shuffle=True)}
    facts |= {"compute_loss": lambda m, b: criterion(m(b[0]), b[1]), "evaluate": evaluate}
    return facts | {"optimizer": torch.optim.Adam(model.parameters(), 3e-3)}
