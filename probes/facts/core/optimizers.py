"""Optimizers: their highest rates, how they are stepped, and an AdamW of our own for short trials."""

import inspect
from typing import Any

import torch


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
