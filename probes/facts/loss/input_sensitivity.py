"""How far the difference between two inputs gets: every module's input and output in one pass, beside another's."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from probes.facts.core.torch_ops import iter_leaves

STILL = 1e-5  # of an input's spread: no more than rounding
LOST = 1e-3  # of the difference that a module is given: what normalises or attends passes on more
FURTHER = 0.1  # a later or an outer module is blamed only where it loses far more
Step = tuple[str, Any, Any]


class ModuleTrace:
    """While it is open, what every module is given and gives, in the order in which they end."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model, self.steps = model, list[Step]()

    def __enter__(self) -> list[Step]:
        named = [(name, module) for name, module in self.model.named_modules() if name]
        self._handles = [module.register_forward_hook(self._note(name), with_kwargs=True) for name, module in named]
        return self.steps

    def __exit__(self, *_: Any) -> None:
        for handle in self._handles:
            handle.remove()

    def _note(self, name: str) -> Callable[..., None]:
        def note(module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
            self.steps.append((f"{name} ({type(module).__name__})", _copies((args, kwargs)), _copies(output)))

        return note


def module_losing_signal(one: Sequence[Step], other: Sequence[Step]) -> str:
    """The module that passes on the least of the difference it is given; empty where none of them loses it."""
    least, found = LOST, ""
    for (name, given, said), (_, given_then, said_then) in zip(one, other, strict=False):
        difference, spread = _apart(given, given_then)
        if difference > STILL * spread and said:
            passed = _apart(said, said_then)[0] / difference
            if passed < (least * FURTHER if found else least):
                least, found = passed, name
    return found


def _copies(value: Any) -> list[torch.Tensor]:
    return [tensor.detach().clone() for tensor in iter_leaves(value) if tensor.numel()]


def _apart(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> tuple[float, float]:
    """The largest difference of any tensor, and the spread of that tensor; of whole numbers, whether they differ."""
    found = [(0.0, 0.0)]
    for a, b in zip(one, other, strict=False):
        if a.shape == b.shape and a.is_floating_point():
            found.append((float((a.double() - b.double()).abs().max()), float(a.double().std(correction=0))))
        elif a.shape == b.shape:
            found.append((float((a != b).any()), 0.0))
    return max(found)
