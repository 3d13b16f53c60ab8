"""AdamW of our own for short trials: unlike torch's, it takes sparse gradients too."""

from typing import Any

import torch


def adamw(weights: Any, **settings: Any) -> torch.optim.AdamW:
    """Without decay, over weights or groups of them."""
    optimizer = torch.optim.AdamW(weights, weight_decay=0.0, **settings)
    optimizer.register_step_pre_hook(_made_dense)
    return optimizer


def _made_dense(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    for group in optimizer.param_groups:
        for weight in group["params"]:
            if weight.grad is not None and weight.grad.is_sparse:
                weight.grad = weight.grad.to_dense()
