"""Fake tensors for a model's weights: they have shapes and types, and no memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

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
            for holder in (module._parameters, module._buffers, vars(module)):
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
