"""Which module is the first to be given a value that is not finite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn


def first_nonfinite_module(model: nn.Module, run: Callable[[], object]) -> str:
    """`encoder.front.0 (Conv2d)`: of the innermost modules, the first whose input is bad while `run` runs, or none."""
    met: list[str] = []

    def look(name: str, module: nn.Module, args: Any, given: Any) -> None:
        if not met and any(not bool(torch.isfinite(value).all()) for value in _floats([args, given])):
            met.append(f"{name} ({type(module).__name__})")

    with ExitStack() as hooks:
        for name, module in model.named_modules():
            if next(module.children(), None) is None:
                hook = module.register_forward_pre_hook(lambda *seen, name=name: look(name, *seen), with_kwargs=True)
                hooks.callback(hook.remove)
        run()
    return met[0] if met else ""


def _floats(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value.detach()
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _floats(one)
