"""The first module whose input is not finite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn


def first_nonfinite_module(model: nn.Module, run: Callable[[], object]) -> str:
    """The first leaf module with a non-finite input during `run`: `encoder.front.0 (Conv2d)`; "" if none."""
    found: list[str] = []

    def check(name: str, module: nn.Module, args: Any, kwargs: Any) -> None:
        if not found and any(not bool(torch.isfinite(value).all()) for value in _floats([args, kwargs])):
            found.append(f"{name} ({type(module).__name__})")

    with ExitStack() as hooks:
        for name, module in model.named_modules():
            if next(module.children(), None) is None:
                hook = module.register_forward_pre_hook(lambda *call, name=name: check(name, *call), with_kwargs=True)
                hooks.callback(hook.remove)
        run()
    return found[0] if found else ""


def _floats(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value.detach()
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _floats(one)
