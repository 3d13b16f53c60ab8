"""Finds the first module whose output differs between two passes with the same seed and the same input."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch

from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves

ModuleSums = tuple[str, str, tuple[float, ...], tuple[float, ...]]


def first_nondeterministic_module(setup: StepSetup, run: Callable[[], Any]) -> tuple[str, str]:
    """Its name and class; empty where the difference lies outside of all modules, as in the loss function."""
    runs: list[list[ModuleSums]] = []
    for _ in range(2):
        restored = restore_afterwards(setup.model, others=setup.also_restore)
        with restored, torch.no_grad(), _record_sums(setup.model) as made:
            as_in_training(setup.model)
            run()
        runs.append(made)
    for one, other in zip(*runs, strict=False):
        if one[:3] == other[:3] and one[3] != other[3]:
            return one[0], one[1]
    return "", ""


@contextmanager
def _record_sums(model: torch.nn.Module) -> Iterator[list[ModuleSums]]:
    """One entry for every call of a module, in the order in which they end: inner ones before outer ones."""
    made: list[ModuleSums] = []

    def note(name: str, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        made.append((name or "the model itself", type(module).__name__, _sums((args, kwargs)), _sums(output)))

    named = model.named_modules()
    with removed_afterwards(one.register_forward_hook(partial(note, name), with_kwargs=True) for name, one in named):
        yield made


def _sums(value: Any) -> tuple[float, ...]:
    tensors = (tensor for tensor in iter_leaves(value) if tensor.numel() and not tensor.is_complex())
    return tuple(float(tensor.detach().double().sum()) for tensor in tensors)
