"""The first call of the model while its loss is computed: its inputs by name, a few rows of them, and its outputs."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import select_rows
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves

SEED = 0
Change = Callable[[str, torch.Tensor], torch.Tensor]


class ModelCall:
    """What forward is given. Tensors are named by its parameters."""

    def __init__(self, setup: StepSetup, batch: Any) -> None:
        self.setup, self.batch = setup, batch
        self.args, self.kwargs = _first_call(setup, batch)
        self.inputs = dict(_named(setup.model, self.args, self.kwargs))
        sizes = {value.shape[0] for value in self.inputs.values() if value.dim()}
        if len(sizes) != 1 or max(sizes, default=0) < 2:
            raise NotApplicable("the inputs of the model do not have one entry per row")
        self.rows = max(sizes)

    def few_rows(self, most: int) -> list[int]:
        """Numbers of rows, as many as no other axis of the inputs has, so that rows can be told from it."""
        others = {size for value in self.inputs.values() for size in value.shape[1:]}
        counts = [count for count in range(min(most, self.rows), 1, -1) if count not in others]
        return list(range(counts[0] if counts else min(most, self.rows)))

    def outputs(self, change: Change = lambda name, value: value, rows: list[int] | None = None) -> list[torch.Tensor]:
        """Every float tensor that the model puts out for these rows, with some inputs changed."""
        args, kwargs = self._changed(change, rows)
        pass_counter.count_passes(pass_counter.FORWARD * (len(rows) if rows else self.rows) / self.rows)
        torch.manual_seed(SEED)
        return [leaf for leaf in iter_leaves(self.setup.model(*args, **kwargs)) if leaf.is_floating_point()]

    def loss(self, change: Change = lambda name, value: value) -> float:
        """The loss of the batch, with the inputs of the first call changed on their way into the model."""
        calls: list[bool] = []

        def on_call(module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
            calls.append(True)
            return _mapped(module, args, kwargs, change) if len(calls) == 1 else None

        handle = self.setup.model.register_forward_pre_hook(on_call, prepend=True, with_kwargs=True)
        pass_counter.count_passes(pass_counter.FORWARD)
        torch.manual_seed(SEED)
        try:
            with torch.no_grad():
                return float(self.setup.compute_loss(self.setup.model, copy_batch(self.batch)))
        finally:
            handle.remove()

    def _changed(self, change: Change, rows: list[int] | None) -> tuple[Any, Any]:
        args, kwargs = copy_batch((self.args, self.kwargs))
        if rows is not None:
            args, kwargs = select_rows((args, kwargs), rows, self.rows, nested=True)
        return _mapped(self.setup.model, args, kwargs, change)


def _first_call(setup: StepSetup, batch: Any) -> tuple[Any, Any]:
    calls: list[tuple[Any, Any]] = []
    hook = setup.model.register_forward_pre_hook(
        lambda module, args, kwargs: calls.append(copy_batch((args, kwargs))), prepend=True, with_kwargs=True
    )
    try:
        with torch.no_grad():
            setup.compute_loss(setup.model, copy_batch(batch))
    finally:
        hook.remove()
    if not calls:
        raise NotApplicable("the loss is computed without calling the model")
    return calls[0]


def _named(model: torch.nn.Module, args: Any, kwargs: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in [*zip(_parameters(model), args, strict=False), *kwargs.items()]:
        yield from tensors_of(value, name)


def _parameters(model: torch.nn.Module) -> Iterator[str]:
    """The names of what forward takes by position; `args[3]` where it has no name."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [name for name, one in inspect.signature(model.forward).parameters.items() if one.kind in kinds]
    return chain(names, (f"args[{number}]" for number in count(len(names))))


def _mapped(model: torch.nn.Module, args: Any, kwargs: Any, change: Change) -> tuple[Any, Any]:
    """Both with each tensor changed under its name."""
    args = tuple(_walk(value, name, change) for name, value in zip(_parameters(model), args, strict=False))
    return args, {name: _walk(value, name, change) for name, value in kwargs.items()}


def _walk(value: Any, name: str, change: Change) -> Any:
    if isinstance(value, torch.Tensor):
        return change(name, value)
    if isinstance(value, dict):
        return {key: _walk(one, f"{name}[{key!r}]", change) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_walk(one, f"{name}[{number}]", change) for number, one in enumerate(value))
    return value


def same_outputs(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    """Whether two passes gave the same bits."""
    return len(one) == len(other) and all(torch.equal(*pair) for pair in zip(one, other, strict=True))
