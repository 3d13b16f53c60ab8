"""Steps a copy of a schedule to the end of the run; the run's own schedule and optimizer do not change."""

import copy
import itertools
import math
import warnings
from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau

from diagnose.engine.context import NotApplicable
from probes.facts.core.numbers import evenly_spaced
from probes.facts.learning_rate.inspect_schedule import kind_of, length_of, unwrapped, warmup_of
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.types import RunSettings

STILL = 1e-3  # of the peak: Adam's steps at such a rate are lost in the rounding of what came before
MOST = 2_000_000  # updates, some ten seconds
MOST_POINTS = 200  # of the figure, which is some 600 pixels wide
RISE = 1e-6  # of the peak: smaller changes are rounding


def play_schedule(scheduler: Any, updates: int, stride: int | None) -> ScheduleCurve:
    """A copy of the schedule, stepped as often as the run will step it (once for each update, if nobody knows)."""
    scheduler = unwrapped(scheduler)
    if isinstance(scheduler, ReduceLROnPlateau):
        raise NotApplicable(f"{type(scheduler).__name__} depends on the metrics of the run")
    if not isinstance(scheduler, LRScheduler):
        raise NotApplicable(f"{type(scheduler).__name__} is not a torch schedule, so it is unknown how it is stepped")
    if updates > MOST:
        raise NotApplicable(f"a run of {updates:,} updates is too long to simulate")
    clone, stand_in = _copy_of(scheduler)
    base = max((group.get("initial_lr", group["lr"]) for group in stand_in.param_groups), default=0.0)
    rates, error = _rates(clone, stand_in, updates, stride or 1)
    shape = {"warmup": warmup_of(scheduler), "length": length_of(scheduler), "steps_per_update": stride}
    at = {"error": error, "raised_at": len(rates) if error else 0}
    return _curve(kind_of(scheduler), updates, float(base), rates, **shape, **at)


def schedule_of_settings(settings: RunSettings, updates: int) -> ScheduleCurve:
    """The schedule that transformers makes for these settings; a warm-up below one is a share of the updates."""
    from transformers import get_scheduler

    warmup = settings.warmup or 0.0
    steps = int(warmup) if warmup >= 1 else math.ceil(warmup * updates)
    stand_in = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=settings.learning_rate or 0.0)
    name = settings.schedule or "linear"
    scheduler = get_scheduler(name, stand_in, num_warmup_steps=steps, num_training_steps=updates)
    return play_schedule(scheduler, updates, stride=1)


def _copy_of(scheduler: Any) -> tuple[Any, torch.optim.Optimizer]:
    """A copy that drives an optimiser of one number in each group, with the same rates."""
    real = scheduler.optimizer
    groups = [{**{k: v for k, v in group.items() if k != "params"}, "params": []} for group in real.param_groups]
    for group in groups:
        group["params"] = [torch.nn.Parameter(torch.zeros(1))]
    stand_in = torch.optim.SGD([{"params": group["params"]} for group in groups], lr=0.0)
    for own, group in zip(stand_in.param_groups, groups, strict=True):
        own.update(copy.deepcopy({key: value for key, value in group.items() if key != "params"}))
    memo: dict[int, Any] = {id(real): stand_in}
    for part in getattr(scheduler, "_schedulers", ()):
        memo[id(part.optimizer)] = stand_in
    return copy.deepcopy(scheduler, memo), stand_in


def _rates(clone: Any, stand_in: Any, updates: int, stride: int) -> tuple[list[float], str]:
    left = max(1, updates - max(0, getattr(clone, "last_epoch", 0)) // stride)
    if type(clone) is LambdaLR:
        return _by_function(clone, left, stride), ""
    rates = [_highest(stand_in)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that the optimiser was not stepped, and it was not
        for _ in range(left - 1):
            try:
                for _ in range(stride):
                    clone.step()
            except Exception as error:
                return rates, f"{type(error).__name__}: {error}"
            rates.append(_highest(stand_in))
    return rates, ""


def _by_function(clone: Any, updates: int, stride: int) -> list[float]:
    """A hundred times faster than stepping, and the same numbers."""
    pairs = list(zip(clone.base_lrs, clone.lr_lambdas, strict=True))
    start = max(0, clone.last_epoch)
    return [max(float(base * rate(start + step * stride)) for base, rate in pairs) for step in range(updates)]


def _highest(optimizer: Any) -> float:
    return max((float(group["lr"]) for group in optimizer.param_groups), default=0.0)


def _curve(kind: str, updates: int, base: float, rates: list[float], **more: Any) -> ScheduleCurve:
    peak = max(rates)
    steps = [after - before for before, after in itertools.pairwise(rates)]
    signs = [step > 0 for step in steps if abs(step) > RISE * peak]
    rises = sum(later and not earlier for earlier, later in itertools.pairwise(signs))
    return ScheduleCurve(
        kind=kind,
        updates=updates,
        base=base,
        first=rates[0],
        peak=peak,
        peak_at=rates.index(peak) + 1,
        end=rates[-1],
        near_zero_fraction=sum(rate <= STILL * peak for rate in rates) / len(rates),
        rises=rises,
        moves=bool(signs),
        rises_to_the_end=len(steps) > 0 and bool(signs) and all(signs) and steps[-1] > RISE * peak,
        points=tuple((index + 1, rates[index]) for index in evenly_spaced(range(len(rates)), MOST_POINTS)),
        **more,
    )
