"""The model, the optimizer and the precision of a watched loop, and their state before its first step."""

import copy
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

from diagnose.common.errors import InputError


def plain_optimizer(optimizer: Any) -> Any:
    wrapped = isinstance(optimizer, Optimizer) and hasattr(optimizer, "optimizer")  # by accelerate
    inner = optimizer.optimizer if wrapped else optimizer
    if inner is not None and not isinstance(inner, Optimizer):
        found = type(optimizer).__name__
        raise InputError(f"diagnose.watch: the optimizer is a {found}, expected a torch.optim.Optimizer")
    return inner


def precision_of_autocast(context: Any) -> str:
    """fp16 or bf16; "" for another type."""
    return {torch.float16: "fp16", torch.bfloat16: "bf16"}.get(context.fast_dtype, "") if context._enabled else ""


def modules_in(loop: Any) -> list[torch.nn.Module]:
    """The modules among a loop's variables and their attributes; none where there is no loop."""
    values = list(getattr(loop, "variables", {}).values())
    values += [inner for value in values for inner in getattr(value, "__dict__", {}).values()]
    return [value for value in values if isinstance(value, torch.nn.Module)]


def outermost(modules: list[torch.nn.Module], optimizer: Optimizer) -> torch.nn.Module:
    moved = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    owners = [one for one in dict.fromkeys(modules) if any(id(p) in moved for p in one.parameters())]
    inner = {id(part) for one in owners for part in one.modules() if part is not one}
    outer = [one for one in owners if id(one) not in inner]
    if not outer:
        raise InputError(
            "no variable of the loop is a module that the optimizer updates: pass model= to diagnose.watch"
        )
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
