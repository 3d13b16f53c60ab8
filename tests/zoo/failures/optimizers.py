"""Section 5: what the optimizer holds, and what moves without it."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.failures._models import Tagger, t5, t5_tokenizer, translated
from tests.zoo.failures.cases import failure
from tests.zoo.failures.parameters import commands
from tests.zoo.registry import Facts


@failure("frz_optimizer_stale", "PAR002", "PAR006", "LRN003", "GRD011")
def head_unfrozen_after_the_optimizer(broken: bool) -> Facts:
    """The optimizer was built from what could train before the embedding was unfrozen."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    model.shared.requires_grad_(not broken)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-3)
    model.shared.requires_grad_(True)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(translated(tokenizer), batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}


@failure("frz_optimizer_stale", "PAR002", "PAR006", "LRN003", "LRN002", "GRD011")
def head_replaced_after_the_optimizer(broken: bool) -> Facts:
    """A new head replaces the old one; the optimizer holds the old one."""
    model = Tagger()
    facts = commands(model)
    model.head = nn.Linear(32, 4)
    return facts if broken else facts | {"optimizer": torch.optim.Adam(model.parameters(), 3e-3)}


@failure("opt_missing_zero_grad", "GRD013", short=True)
def loop_without_zero_grad(broken: bool) -> Facts:
    """The training step never clears the gradients."""
    facts = commands(Tagger(), rate=1e-3)
    model, optimizer, compute_loss = facts["model"], facts["optimizer"], facts["compute_loss"]

    def training_step(batch: Any) -> float:
        model.train()
        loss = compute_loss(model, batch)
        loss.backward()
        optimizer.step()
        if not broken:
            optimizer.zero_grad()
        return float(loss)

    return facts | {"training_step": training_step}


@failure("par_batch_norm_of_frozen_part_drifts", "PAR014")
def frozen_batch_norm_in_train_mode(broken: bool) -> Facts:
    """The pretrained convolutions are frozen; model.train() still moves their running statistics."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.front = nn.Sequential(nn.Conv1d(40, 32, 3), nn.BatchNorm1d(32), nn.ReLU())
            self.head = nn.Linear(32, 4)

        def train(self, mode: bool = True) -> Any:
            super().train(mode)
            if not broken:
                self.front.eval()
            return self

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            return self.head(self.front(frames.transpose(1, 2)).mean(-1))

    model = Net()
    model(torch.randn(64, 20, 40))
    model.front.requires_grad_(False)
    return commands(model, 1e-2)
