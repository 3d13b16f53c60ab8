"""What the guards of foreign trainers look at between backward and update."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from probes.facts.core.finite import is_finite


def gradients(optimizers: Iterable[Any]) -> Iterator[torch.Tensor]:
    """Of every parameter that an update would move; the values, where a gradient is sparse."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    grad = parameter.grad.detach()
                    yield grad.coalesce().values() if grad.is_sparse else grad


def all_finite(tensors: Iterable[torch.Tensor]) -> bool:
    """One read of all; exact, since a sum that is not finite is looked at again."""
    tensors = list(tensors)
    sums = [tensor.sum(dtype=torch.float32).reshape(1) for tensor in tensors if tensor.is_floating_point()]
    if not sums or bool(torch.isfinite(torch.cat([one.to(sums[0].device) for one in sums])).all()):
        return True
    return all(map(is_finite, tensors))


def norm_of(tensors: Iterable[torch.Tensor]) -> float:
    """Of all of them together, as clipping computes it."""
    return float(torch.nn.utils.get_total_norm(list(tensors)))


def drop_gradients(optimizers: Iterable[Any]) -> None:
    """Without gradients an optimiser of torch moves nothing."""
    for optimizer in optimizers:
        optimizer.zero_grad(set_to_none=True)
