"""The model, the optimizer and the precision of a watched loop, and their state before its first step."""

import copy
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from diagnose.common.errors import InputError


def plain_optimizer(optimizer: Any) -> Any:
    inner = getattr(optimizer, "optimizer", optimizer)  # accelerate's is a wrapper
    if inner is not None and not isinstance(inner, Optimizer):
        found = type(optimizer).__name__
        raise InputError(f"diagnose.watch: the optimizer is a {found}, expected a torch.optim.Optimizer")
    return inner


def autocast_precision() -> str:
    for device in ("cpu", "cuda"):
        if torch.is_autocast_enabled(device):
            return {torch.float16: "fp16", torch.bfloat16: "bf16"}.get(torch.get_autocast_dtype(device), "")
    return ""


def outermost(called: list[torch.nn.Module], optimizer: Optimizer) -> torch.nn.Module:
    moved = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    owners = [one for one in dict.fromkeys(called) if any(id(p) in moved for p in one.parameters())]
    inner = {id(part) for one in owners for part in one.modules() if part is not one}
    outer = [one for one in owners if id(one) not in inner]
    if not outer:
        raise InputError("no module that was called holds what the optimizer updates: pass model= to diagnose.watch")
    return outer[0] if len(outer) == 1 else torch.nn.ModuleList(outer)


def state_to_put_back(model: torch.nn.Module, optimizer: Optimizer) -> Any:
    """A function that sets weights and optimizer to what they are now."""
    held = [(tensor, tensor.detach().clone()) for tensor in (*model.parameters(), *model.buffers())]
    state = copy.deepcopy(optimizer.state_dict())

    def put() -> None:
        with torch.no_grad():
            for tensor, value in held:
                tensor.copy_(value)
        optimizer.load_state_dict(state)

    return put


def divisor_of(loss: torch.Tensor) -> float:
    """What the loss was divided by in the last operation before backward; 1 where it was not."""
    divisor: Any = getattr(loss.grad_fn, "_saved_other", None)
    is_division = type(loss.grad_fn).__name__ == "DivBackward0" and divisor is not None and divisor.numel() == 1
    return float(divisor) if is_division else 1.0
