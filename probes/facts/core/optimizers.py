"""Optimizers: their highest rates, how they are stepped, and an AdamW of our own for short trials."""

import inspect
from itertools import pairwise
from typing import Any

import torch

PATIENCE = 12  # updates without a new lowest loss before the rate is halved; a leap quarters it
BETTER = 0.02  # of the lowest loss: less is no progress
HALVINGS = 4  # without progress: it will not come
CREEPS = 0.1  # of the loss, lost in as many updates as PATIENCE, nearly all of them downwards: the rate is too low
DOWN = 0.75  # of these updates: on a standstill or in an oscillation half of them lower the loss


class RateControl:
    """`advise` is asked after every loss: save (the weights are the best so far), back, stop, or nothing."""

    def __init__(self, rate: float) -> None:
        self.rate = self.first = rate
        self._best, self._since, self._halved = float("inf"), 0, 0
        self._window: list[float] = []

    @property
    def stands(self) -> bool:
        """No new lowest loss for a while, at whatever rate."""
        return self._since >= PATIENCE

    def resume(self) -> None:
        """Once more, at no less than after one leap."""
        self.rate, self._since, self._halved = max(self.rate, self.first / 4), 0, 0

    def _creeps(self, loss: float) -> bool:
        """The loss falls in nearly every update, and by little."""
        self._window.append(loss)
        if len(self._window) <= PATIENCE:
            return False
        window, self._window = self._window, [loss]
        down = sum(after < before for before, after in pairwise(window))
        return down >= DOWN * PATIENCE and window[0] - loss < CREEPS * abs(window[0])

    def advise(self, loss: float, first: float) -> str:
        if self._creeps(loss):
            self.rate, self._since = 2 * self.rate, 0
        if loss < self._best - BETTER * max(abs(loss), abs(first) * 1e-3):
            self._best, self._since, self._halved = loss, 0, 0
            return "save"
        self._since += 1
        leapt = not loss < self._best + max(0.5 * (first - self._best), 0.1 * abs(first))
        if not leapt and self._since < PATIENCE:
            return ""
        self.rate, self._since, self._halved = self.rate / (4 if leapt else 2), 0, self._halved + 1
        self._window = []
        if self._halved > HALVINGS:
            return "stop"
        return "back" if leapt else ""


def steps_without_closure(optimizer: Any) -> bool:
    """False for an optimiser that has to be given the loss as a function."""
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    return closure is None or closure.default is not inspect.Parameter.empty


def peak_rate(group: dict[str, Any]) -> float | None:
    """The highest rate that the group knows of: in a warm-up the present one is meant to be tiny."""
    return max(
        (float(group[key]) for key in ("lr", "initial_lr", "max_lr") if group.get(key) is not None), default=None
    )


def set_rate(group: dict[str, Any], rate: float) -> None:
    if isinstance(group["lr"], torch.Tensor):
        group["lr"].fill_(rate)
    else:
        group["lr"] = rate


def set_peak_rates(optimizer: Any) -> float | None:
    """Sets every group to the highest rate it knows of, and gives the highest of all."""
    peaks = []
    for group in optimizer.param_groups:
        if (rate := peak_rate(group)) is not None:
            set_rate(group, rate)
            peaks.append(rate)
    return max(peaks, default=None)


def adamw(weights: Any, **settings: Any) -> torch.optim.AdamW:
    """AdamW without decay, over weights or groups of them; unlike torch's, it takes sparse gradients too."""
    optimizer = torch.optim.AdamW(weights, weight_decay=0.0, **settings)
    optimizer.register_step_pre_hook(_densify)
    return optimizer


def _densify(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    for group in optimizer.param_groups:
        for weight in group["params"]:
            if weight.grad is not None and weight.grad.is_sparse:
                weight.grad = weight.grad.to_dense()
