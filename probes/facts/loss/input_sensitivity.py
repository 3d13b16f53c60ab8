"""Compares the inputs and outputs of every module between two passes: where is a change of the input lost?"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch

from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.torch_ops import iter_leaves

STILL = 1e-5  # of an input's spread: no more than rounding
LOST = 1e-3  # of the change of its input: what normalises or attends passes on more
FURTHER = 0.1  # a later or an outer module is blamed only where it loses far more
Step = tuple[str, Any, Any]


@contextmanager
def trace_modules(model: torch.nn.Module) -> Iterator[list[Step]]:
    """Fills the list with the inputs and outputs of every module, in the order in which they end."""
    steps: list[Step] = []

    def note(name: str, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        steps.append((f"{name} ({type(module).__name__})", _copies((args, kwargs)), _copies(output)))

    named = ((name, module) for name, module in model.named_modules() if name)
    with removed_afterwards(one.register_forward_hook(partial(note, name), with_kwargs=True) for name, one in named):
        yield steps


def module_losing_signal(one: Sequence[Step], other: Sequence[Step]) -> str:
    """The module whose output changes least for its change of input; "" if all pass it on."""
    least, found = LOST, ""
    for (name, inputs, outputs), (_, other_inputs, other_outputs) in zip(one, other, strict=False):
        difference, spread = _difference(inputs, other_inputs)
        if difference > STILL * spread and outputs:
            passed = _difference(outputs, other_outputs)[0] / difference
            if passed < (least * FURTHER if found else least):
                least, found = passed, name
    return found


def _copies(value: Any) -> list[torch.Tensor]:
    return [tensor.detach().clone() for tensor in iter_leaves(value) if tensor.numel()]


def _difference(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> tuple[float, float]:
    """The largest difference of any tensor, and the spread of that tensor; of whole numbers, whether they differ."""
    found = [(0.0, 0.0)]
    for a, b in zip(one, other, strict=False):
        if a.shape == b.shape and a.is_floating_point():
            found.append((float((a.double() - b.double()).abs().max()), float(a.double().std(correction=0))))
        elif a.shape == b.shape:
            found.append((float((a != b).any()), 0.0))
    return max(found)
