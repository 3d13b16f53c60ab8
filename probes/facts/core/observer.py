"""Restores a model and all state around it: nothing that a measurement does inside is left afterwards."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import FunctionType
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.nn.parameter import is_lazy
from torch.utils.data import DataLoader, Dataset

from diagnose.common.interrupts import deferred_interrupts
from diagnose.common.rng import save_rng_states
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.torch_state import save_torch_flags

DEEP = 3  # functions that call functions that call functions
DATA = (DataLoader, Dataset)  # they are large, and a step reads batches, not these


def held_by(function: Callable[..., Any], deep: int = DEEP) -> list[Any]:
    """The object it is bound to, what it closes over and the globals it names; of functions among these, theirs."""
    found = [getattr(function, "__self__", None), *getattr(function, "args", ())]
    found += [value for _, value in _bindings(function)]
    inner = [value for value in found if isinstance(value, FunctionType)]
    more = [value for one in inner if deep for value in held_by(one, deep - 1)]
    return [value for value in (*found, *more) if not isinstance(value, DATA) and not isinstance(value, FunctionType)]


@contextmanager
def restore_bindings(function: Callable[..., Any]) -> Iterator[None]:
    """Restores nonlocal variables, and globals that the function names."""
    before = list(_bindings(function))
    try:
        yield
    finally:
        for bind, value in before:
            bind(value)


def _bindings(function: Callable[..., Any]) -> Iterator[tuple[Callable[[Any], None], Any]]:
    """Every variable from outside of the function: how to set it, and its value."""
    inner = getattr(getattr(function, "func", function), "__func__", getattr(function, "func", function))
    for cell in getattr(inner, "__closure__", None) or ():
        with suppress(ValueError):  # an empty cell
            yield partial(setattr, cell, "cell_contents"), cell.cell_contents
    scope = getattr(inner, "__globals__", {})
    for name in getattr(getattr(inner, "__code__", None), "co_names", ()):
        if name in scope:
            yield partial(scope.__setitem__, name), scope[name]


GLOBAL_HOOKS = tuple(vars(modules)[name] for name in vars(modules) if name.startswith("_global_") and "hooks" in name)


@contextmanager
def restore_afterwards(
    model: torch.nn.Module | None = None,
    optimizer: Any = None,
    scheduler: Any = None,
    scaler: Any = None,
    others: Iterable[Any] = (),
) -> Iterator[Snapshot]:
    """Restores, in place and bit for bit, what the body changes here, in RNG states and in torch's flags.

    Of the model: parameters, buffers, gradients (set aside: inside, all are None), requires_grad, modes, hooks, plain
    attributes; of optimiser, schedule, scaler and `others`: their state and attributes. One copy of the weights and of
    the optimiser's state is held while the body runs. Also when the body raises or is interrupted.
    """
    with _keeping() as keeper:
        if model is not None:
            _keep_model(keeper, model)
        for value in (optimizer, scheduler, scaler, *others, *GLOBAL_HOOKS):
            keeper.keep(value)
        yield keeper


@contextmanager
def restore_entries(*containers: Any) -> Iterator[None]:
    """Restores entries of dicts and lists, RNG states and torch's flags only: for what builds something."""
    with _keeping() as keeper:
        for held in containers:
            keeper.keep_entries(held)
        yield


@contextmanager
def _keeping() -> Iterator[Snapshot]:
    keeper, restores = Snapshot(), (save_rng_states(), save_torch_flags())
    try:
        yield keeper
    finally:
        with deferred_interrupts(), ExitStack() as stack:  # a second Ctrl-C waits until all is restored
            for restore in (*restores, keeper.put_back):
                stack.callback(restore)


def _keep_model(keeper: Snapshot, model: torch.nn.Module) -> None:
    _refuse_lazy(model)
    for tensor in (*model.parameters(), *model.buffers()):
        keeper.keep(tensor)
    for module in model.modules():
        keeper.keep(module)


def _refuse_lazy(model: torch.nn.Module) -> None:
    lazy = [name for name, parameter in model.named_parameters() if is_lazy(parameter)]
    if lazy:
        raise ValueError(f"{lazy[0]} has no shape yet (a lazy module): run one batch through the model first")
