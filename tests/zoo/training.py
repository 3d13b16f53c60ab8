"""Trains a set-up as its author would, to show that it is healthy: its loss falls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch

from tests.zoo.registry import Facts

STEPS = 30


def train(facts: Facts, steps: int = STEPS) -> list[float]:
    """The loss of each step."""
    if "trainer" in facts:
        return train_with_trainer(facts["trainer"], steps)
    facts["model"].train()
    return [_step(facts, batch) for batch in islice(_again(facts["train_batches"]), steps)]


def train_with_trainer(trainer: Any, steps: int) -> list[float]:
    """The losses that the trainer logs, at every step."""
    arguments = trainer.args
    arguments.max_steps, arguments.logging_steps, arguments.report_to = steps, 1, []
    arguments.eval_strategy = arguments.save_strategy = "no"
    arguments.disable_tqdm = True
    trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def fell(losses: list[float]) -> bool:
    """Whether the last five losses are below the first five, on average; a reward that rises is a loss that falls."""
    return sum(losses[-5:]) < sum(losses[:5])


def _again(batches: Any) -> Iterator[Any]:
    while True:
        yield from batches


def _step(facts: Facts, batch: Any) -> float:
    if step := facts.get("training_step"):
        return float(step(batch))
    model, optimizer = facts["model"], facts["optimizer"]

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = facts["compute_loss"](model, batch) if "compute_loss" in facts else model(**batch).loss
        loss.backward()
        return loss

    if isinstance(optimizer, torch.optim.LBFGS):
        loss = optimizer.step(closure)
    else:  # Adafactor of transformers calls a closure without gradients
        loss = closure()
        optimizer.step()
    if scheduler := facts.get("scheduler"):
        scheduler.step()
    return float(loss.detach())
