"""Fake tensors for a model's weights, which take no memory; and an update of them by a copy of the optimizer."""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

Fakes = Mapping[int, torch.nn.Parameter]
BLOCK = 256  # values of an eight-bit state that share one float32 scale, as in bitsandbytes
SMALLEST = 4096  # values below which bitsandbytes keeps float32


def fake_update(optimizer: Any, fakes: Fakes, gpu: bool) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Steps every optimizer of torch's kind that is inside; yields each parameter with each tensor of its state."""
    for one in optimizers_in(optimizer):
        stand_in = _stand_in(one, fakes, gpu)
        stand_in.step()
        for parameter, state in stand_in.state.items():
            yield from ((parameter, value) for value in state.values() if isinstance(value, torch.Tensor))


def optimizers_in(optimizer: Any) -> Iterator[torch.optim.Optimizer]:
    """The optimizer itself, what a wrapper holds, or every one of a list."""
    if isinstance(optimizer, torch.optim.Optimizer) and not hasattr(optimizer, "optimizer"):
        yield optimizer
        return
    inner = getattr(optimizer, "optimizer", None)
    for one in getattr(optimizer, "optimizers", ()) if inner is None else (inner,):
        yield from optimizers_in(one)


def _stand_in(optimizer: torch.optim.Optimizer, fakes: Fakes, gpu: bool) -> torch.optim.Optimizer:
    """A copy with fake parameters and no state; a schedule may have replaced `step` by one that is bound."""
    stand_in = copy.copy(optimizer)
    vars(stand_in).pop("step", None)
    stand_in.state = defaultdict(dict)
    stand_in.param_groups = [_with_fakes(group, fakes, gpu) for group in optimizer.param_groups]
    return stand_in


def _with_fakes(group: Mapping[str, Any], fakes: Fakes, gpu: bool) -> dict[str, Any]:
    parameters = [fakes[id(parameter)] for parameter in group["params"] if id(parameter) in fakes]
    unset = gpu and "foreach" in group and group["foreach"] is None and not group.get("fused")
    return {**group, "params": parameters, **({"foreach": True} if unset else {})}  # torch's default on a GPU


def adafactor_state(shapes: Iterable[torch.Size]) -> int:
    """A row and a column for each matrix instead of a value for each weight; no momentum."""
    return sum(4 * _factored(shape) for shape in shapes)


def _factored(shape: torch.Size) -> int:
    if len(shape) < 2:
        return shape.numel()
    return shape.numel() // shape[-1] + shape.numel() // shape[-2]


def eight_bit_adam_state(shapes: Iterable[torch.Size]) -> int:
    """Two states of one byte for each weight, and a scale for each block of them."""
    sizes = [shape.numel() for shape in shapes]
    return sum(8 * size if size < SMALLEST else 2 * (size + 4 * -(-size // BLOCK)) for size in sizes)


Holder = dict[str, Any]


@contextmanager
def fake_weights(model: torch.nn.Module, mode: FakeTensorMode) -> Iterator[dict[int, torch.nn.Parameter]]:
    """Inside, the model holds fake tensors; yields the fake parameter by the id of the real one.

    Whole numbers stay real, as copies: a model looks at them to decide what it does.
    """
    fakes: dict[int, Any] = {}
    restores: list[Callable[[], None]] = []
    try:
        for module in model.modules():
            holders: tuple[Any, ...] = (module._parameters, module._buffers, vars(module))
            for holder in holders:
                for name, value in list(holder.items()):
                    if isinstance(value, torch.Tensor):
                        if id(value) not in fakes:
                            fakes[id(value)] = fake_of(value, mode)
                        restores.append(partial(holder.__setitem__, name, value))
                        holder[name] = fakes[id(value)]
        yield {key: value for key, value in fakes.items() if isinstance(value, torch.nn.Parameter)}
    finally:
        for restore in restores:
            restore()


def fake_of(tensor: torch.Tensor, mode: FakeTensorMode) -> torch.Tensor:
    """The same shape, type and device; a tensor on the meta device is taken to the CPU."""
    if not tensor.is_floating_point() and not tensor.is_meta:
        return tensor.detach().clone()
    device = torch.device("cpu") if tensor.is_meta else tensor.device
    with mode:
        like = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
        fake = FakeTensor(mode, like, device)
    return torch.nn.Parameter(fake, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else fake
