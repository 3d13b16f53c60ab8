"""Where two passes from one seed part: the first module that makes something else of the same input."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup

Print = tuple[str, str, tuple[float, ...], tuple[float, ...]]


def first_nondeterministic_module(setup: StepSetup, run: Callable[[], Any]) -> tuple[str, str]:
    """Its name and class; empty where the difference lies outside of all modules, as in the loss function."""
    prints: list[list[Print]] = []
    for _ in range(2):
        kept = restore_afterwards(setup.model, others=setup.also_restore)
        with kept, torch.no_grad(), _printed(setup.model) as made:
            as_in_training(setup.model)
            run()
        prints.append(made)
    for one, other in zip(*prints, strict=False):
        if one[:3] == other[:3] and one[3] != other[3]:
            return one[0], one[1]
    return "", ""


@contextmanager
def _printed(model: torch.nn.Module) -> Iterator[list[Print]]:
    """One line for every call of a module, in the order in which they end: inner ones before outer ones."""
    made: list[Print] = []

    def hook(name: str) -> Any:
        def see(module: torch.nn.Module, given: Any, named: Any, output: Any) -> None:
            made.append((name or "the model itself", type(module).__name__, _sums((given, named)), _sums(output)))

        return see

    handles = [module.register_forward_hook(hook(name), with_kwargs=True) for name, module in model.named_modules()]
    try:
        yield made
    finally:
        for handle in handles:
            handle.remove()


def _sums(value: Any) -> tuple[float, ...]:
    if isinstance(value, torch.Tensor):
        return (float(value.detach().double().sum()),) if value.numel() and not value.is_complex() else ()
    if isinstance(value, dict):
        value = list(value.values())
    return tuple(s for one in value for s in _sums(one)) if isinstance(value, list | tuple) else ()
