"""Runs the user's own evaluation twice in a forked child, and finds modules that are still in training mode."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.failure import failure_of
from probes.facts.core.fork import CannotFork, ChildRaised, TimedOut, run_in_fork
from probes.facts.core.hooks import FunctionSpy
from probes.facts.core.progress_log import silence_transformers
from probes.facts.core.require import require
from probes.facts.generation.run_generation import count_time_as_passes
from probes.facts.generation.steering import SteeredGeneration
from probes.facts.generation.types import EvaluationPair

PASSES, LEAST = 3.0, 5.0  # of a pass's time; never less than so many seconds, for small models start slowly

TOKENS = 4  # of each generation within it: who trains and who draws shows at once


def evaluate_twice(
    model: torch.nn.Module, evaluate: Callable[[], Any], pass_seconds: float, classes: int = 0, end: int | None = None
) -> EvaluationPair:
    """What the child changes, it changes in its own memory. `end`: what a loop of one's own is made to stop with."""
    seconds, start = max(PASSES * pass_seconds, LEAST), time.perf_counter()
    can_stop = end is not None and end < classes  # a score of one class, say, holds no end token
    try:
        return run_in_fork(lambda: _both(model, evaluate, classes if can_stop else 0, end or 0), seconds)
    except TimedOut:
        raise NotApplicable(
            f"the evaluation takes longer than {seconds:.0f} s, so it is not run twice in advance"
        ) from None
    except CannotFork as reason:
        raise NotApplicable(f"the evaluation is not run in advance: {reason}") from reason
    except ChildRaised as error:
        require(error.error != NotApplicable.__name__, error.message)
        return EvaluationPair({}, {}, failure=error.failure("evaluation"))
    finally:
        count_time_as_passes(start, pass_seconds)


def _both(model: torch.nn.Module, evaluate: Callable[[], Any], classes: int, end: int) -> EvaluationPair:
    runs: list[Mapping[str, float]] = []
    with _TrainModeSpy(model) as spy:
        for seed in (1, 2):
            model.train()
            torch.manual_seed(seed)
            try:
                with (
                    silence_transformers(),
                    SteeredGeneration(model, TOKENS, LEAST, end=end, classes=classes, emit_end=True),
                ):
                    runs.append(_numbers(evaluate()))
            except NotApplicable:
                raise
            except Exception as error:
                return EvaluationPair({}, {}, failure=failure_of(error, model, "evaluation"))
    return EvaluationPair(runs[0], runs[1], tuple(spy.found), tuple(spy.found.values()), dropout=tuple(spy.dropout))


class _TrainModeSpy(FunctionSpy):
    """`found` has the modules that call dropout or batch norm in training mode; its hooks end with the child."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.names = {id(module): name or "the model itself" for name, module in model.named_modules()}
        self.found: dict[str, str] = {}
        self.dropout: dict[str, str] = {}  # likewise, of modules in evaluation mode
        self._running: list[torch.nn.Module] = []
        modules = torch.nn.modules.module
        modules.register_module_forward_pre_hook(lambda module, given: self._running.append(module))
        modules.register_module_forward_hook(lambda module, given, output: self._left(module), always_call=True)

    def _left(self, module: torch.nn.Module) -> None:
        if self._running and self._running[-1] is module:
            self._running.pop()

    def before_call(self, function: str, args: Any, kwargs: Any) -> None:
        if self._running and _draws(function, args, kwargs):
            module = self._running[-1]
            if id(module) in self.names and (module.training or function != "batch_norm"):
                seen = self.found if module.training else self.dropout
                seen.setdefault(self.names[id(module)], type(module).__name__)


def _draws(function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether this is dropout with p > 0 or batch norm over the batch, called with training=True."""
    if function == "scaled_dot_product_attention":
        return bool(kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0))
    if function in ("dropout", "feature_dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d"):
        p, training = (*args, None, None, None)[1:3]
        p = kwargs.get("p", 0.5 if p is None else p)
        training = kwargs.get("training", kwargs.get("train", True if training is None else training))
        return bool(p) and bool(training)
    return function == "batch_norm" and bool(kwargs.get("training", args[5] if len(args) > 5 else False))


def _numbers(figures: Any) -> dict[str, float]:
    named = figures if isinstance(figures, Mapping) else {"figure": figures}
    return {
        str(name): float(value)
        for name, value in named.items()
        if isinstance(value, int | float) or (hasattr(value, "item") and getattr(value, "size", 1) in (1, ()))
    }
