"""The guard of a watched loop: hears each loss at its backward pass, and judges before the optimizer's step."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from diagnose.guard import Guard
from probes.guards.gradients import all_finite, gradients
from probes.integrations.step_events import BACKWARD, around

LOOKS, EVERY = 1000, 50  # steps between two looks of all probes (15 ms each), and between two readings of all gradients


@contextmanager
def guarded(optimizer: Optimizer, mode: str) -> Iterator[Guard]:
    """Judges every step of this optimizer until it is left."""
    guard = Guard(mode, LOOKS)
    losses: list[torch.Tensor] = []
    guard.begin()

    def judge(optimizer: Any, args: Any, kwargs: Any) -> None:
        step = guard.last_step + 1
        sound = step % EVERY != 0 or all_finite(gradients([optimizer]))
        loss = sum(one.item() for one in losses) if losses else None
        losses.clear()
        norm = None if sound else float("nan")
        guard.step(loss=loss, grad_norm=norm, lr=optimizer.param_groups[0]["lr"], step=step)

    def hear(event: str, loss: Any) -> None:
        if loss.numel() == 1:
            losses.append(loss.detach().reshape(()))

    handle = optimizer.register_step_pre_hook(judge)
    try:
        with around(torch.Tensor, "backward", hear, BACKWARD):
            yield guard
    finally:
        handle.remove()
