"""One update by an optimiser: at which rate, how far each weight moves, and how many of its elements."""

import inspect
from typing import Any

import torch


def steps_without_closure(optimizer: Any) -> bool:
    """False for an optimiser that has to be given the loss as a function."""
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    return closure is None or closure.default is not inspect.Parameter.empty


def set_peak_rates(optimizer: Any) -> float | None:
    """Sets every group to the highest rate it knows of: a schedule leaves its base there while it warms up."""
    highest = None
    for group in optimizer.param_groups:
        known = [float(group[key]) for key in ("lr", "initial_lr", "max_lr") if group.get(key) is not None]
        if not known:
            continue
        if isinstance(group["lr"], torch.Tensor):
            group["lr"].fill_(max(known))
        else:
            group["lr"] = max(known)
        highest = max(known) if highest is None else max(highest, *known)
    return highest


def parameter_change(parameter: torch.nn.Parameter, before: torch.Tensor) -> tuple[float, float]:
    """The norm of the change, and the share of the elements with a gradient that changed at all."""
    change = parameter.detach() - before
    norm = float(torch.linalg.vector_norm(change, dtype=torch.promote_types(change.dtype, torch.float32)))
    gradient = parameter.grad
    felt = torch.ones_like(change, dtype=torch.bool) if gradient is None else gradient.to_dense() != 0
    return norm, float(((change != 0) & felt).sum()) / max(int(felt.sum()), 1)
