"""Runs the loss twice on one batch, and looks at what it wrote into it; and which dropout draws in evaluation mode."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.hooks import FunctionSpy, removed_afterwards
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.influence.types import BatchChange, EvalDropout

DROPOUT = ("dropout", "feature_dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d")


def measure_batch_change(setup: StepSetup, batch: Any, in_memory: bool) -> BatchChange:
    """Two passes in evaluation mode on the same copy of the batch."""
    with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
        setup.model.eval()
        own = copy_batch(batch)
        states, losses = [copy_batch(dict(tensors_of(own)))], []
        for _ in range(2):
            torch.manual_seed(0)
            pass_counter.count_passes(pass_counter.FORWARD)
            try:
                losses.append(float(setup.compute_loss(setup.model, own)))
            except Exception:  # it may have taken out what it needs; what it wrote is known
                losses.append(float("nan"))
            states.append(copy_batch(dict(tensors_of(own))))
    return BatchChange(_differ(*states[:2]), _differ(*states[1:]), (losses[0], losses[1]), in_memory)


def _differ(before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor]) -> tuple[str, ...]:
    both = [name for name in before if name in after and before[name].shape == after[name].shape]
    return tuple(name for name in both if not torch.equal(before[name].nan_to_num(), after[name].nan_to_num()))


def find_eval_dropout(setup: StepSetup, batch: Any) -> tuple[EvalDropout, ...]:
    """Calls of dropout with training=True while every module is in evaluation mode."""
    with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
        setup.model.eval()
        pass_counter.count_passes(pass_counter.FORWARD)
        with _DropoutSpy(setup.model) as spy:
            setup.compute_loss(setup.model, copy_batch(batch))
    return tuple(spy.found.values())


class _DropoutSpy(FunctionSpy):
    """`found` has one entry for each module that draws."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        self.found: dict[str, EvalDropout] = {}
        self.running: list[tuple[str, str]] = []

    def __enter__(self) -> Any:
        named = list(self.model.named_modules())
        enter = (one.register_forward_pre_hook(partial(self._enter, name)) for name, one in named)
        leave = (one.register_forward_hook(self._leave, always_call=True) for _, one in named)
        self.hooks = removed_afterwards([*enter, *leave])
        self.hooks.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.hooks.__exit__(*error)

    def _enter(self, name: str, module: torch.nn.Module, args: Any) -> None:
        self.running.append((name or "the model itself", type(module).__name__))

    def _leave(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        self.running.pop()

    def before_call(self, name: str, args: Any, kwargs: Any) -> None:
        p = _probability(name, args, kwargs)
        if p and self.running:
            module, kind = self.running[-1]
            self.found.setdefault(module, EvalDropout(module, kind, name, p))


def _probability(function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> float:
    """With which this call of dropout drops; 0 where it is no such call, or is switched off."""
    if function == "scaled_dot_product_attention":
        return float(kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0))
    if function not in DROPOUT:
        return 0.0
    p, training = (*args, None, None, None)[1:3]
    p = kwargs.get("p", 0.5 if p is None else p)
    return float(p) if kwargs.get("training", kwargs.get("train", True if training is None else training)) else 0.0
