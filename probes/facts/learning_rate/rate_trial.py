"""The real optimiser at the schedule's peak, on a few batches: does the loss fall, stand still or run away?"""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.optimizers import set_peak_rates
from probes.facts.core.step_setup import ComputeLoss
from probes.facts.learning_rate.rate_updates import Around, RateStepper
from probes.facts.learning_rate.shortfall import falls_short
from probes.facts.learning_rate.types import RatePlan, RateRun, RateTrial

UPDATES, LONGER = 20, (40, 80)  # of the first look; and of further ones, where a tenth of the rate catches up
LOOKS = 5  # updates between two measurements
WARM = 5  # updates in which the rate rises where the schedule warms up
MEASURED = 2  # batches
KNOWS = 0.5  # of the entropy of the labels: below, more is known than how frequent they are
LOWER = (0.1, 0.01, 1e-3)  # of the rate
AHEAD = 0.85  # of the loss: a tenth of the rate is clearly ahead
MORE = (1e2, 1e4, 1e6)  # times the rate, until the loss moves by what is needed
AWAY = 1.5  # times the first loss: it runs away
ROSE = 1.1  # likewise on the way, where no entropy of labels says what is learned


@dataclass(frozen=True)
class RateTrialSetup:
    """What a rate trial needs."""

    plan: RatePlan
    model: torch.nn.Module
    batches: Sequence[Any]
    compute_loss: ComputeLoss
    optimizer: Any
    others: Iterable[Any] = ()

    def stepper(self) -> RateStepper:
        """The groups at their highest rates, scaled to the schedule's peak. Called under the observer."""
        highest = set_peak_rates(self.optimizer) or 0.0
        for group in self.optimizer.param_groups:
            if highest > 0 and not isinstance(group["lr"], torch.Tensor):
                group["lr"] *= self.plan.peak / highest
        as_in_training(self.model)
        self.optimizer.state.clear()
        around = _autocast(self.model, self.plan.autocast)
        return RateStepper(self.model, self.batches, self.compute_loss, self.optimizer, self.plan.clip, around)


def _autocast(model: torch.nn.Module, precision: str) -> Around:
    """Autocast where the device has it; fp16 needs a GPU, and is left out elsewhere."""
    device = next((weight.device.type for weight in model.parameters()), "cpu")
    dtypes: Mapping[str, Any] = {"bf16": torch.bfloat16, **({"fp16": torch.float16} if device == "cuda" else {})}
    return (lambda: torch.autocast(device, dtype=dtypes[precision])) if precision in dtypes else nullcontext


def try_rates(setup: RateTrialSetup, floor: float | None, total: int | None, needed: float) -> RateTrial:
    """The peak; where that leaves a doubt, lower rates, or far higher ones where too little moves."""
    start = time.perf_counter()
    with restore_afterwards(setup.model, setup.optimizer, others=setup.others):
        stepper = setup.stepper()
        peak, lower, more = _run(stepper, setup, 1.0, UPDATES), None, None
        if _is_doubtful(peak, floor):
            peak, lower = _with_lower(stepper, setup, peak)
        stands = setup.plan.peak > 0 and peak.sound and total is not None and falls_short(peak, total, needed)
        for share in MORE if stands else ():
            higher = _run(stepper, setup, share, UPDATES)
            more = higher if more is None or (higher.sound and higher.last < more.last) else more
            if not higher.sound or higher.moved > needed * abs(higher.first):
                break
    updates, seconds = stepper.total_updates, time.perf_counter() - start
    plan = setup.plan
    return RateTrial(plan.peak, peak, lower, more, floor, total, needed, plan.warms_up, "", updates, seconds)


def _with_lower(stepper: RateStepper, setup: RateTrialSetup, peak: RateRun) -> tuple[RateRun, RateRun]:
    """A tenth, or less where that does not learn either; longer walks of both while the lower one catches up."""
    for share in LOWER:
        lower = _run(stepper, setup, share, UPDATES)
        if lower.sound and max(lower.losses) <= AWAY * lower.first and lower.last < lower.first:
            break
    for updates in LONGER:
        if _catches_up(lower, peak):
            peak, lower = (_run(stepper, setup, share, updates) for share in (1.0, lower.share))
    return peak, lower


def _is_doubtful(run: RateRun, floor: float | None) -> bool:
    """Whether no more than the label frequencies is learned: a rate far too high gets there too."""
    if not run.sound or max(run.losses) > AWAY * run.first or run.last >= run.first:
        return True
    return max(run.losses) > ROSE * run.first if floor is None else run.last >= KNOWS * floor


def _catches_up(low: RateRun, high: RateRun) -> bool:
    """Still behind, or hardly ahead, but twice as fast."""
    if not low.sound or not high.sound or low.last < AHEAD * high.last:
        return False
    return low.losses[-2] - low.last > 2 * (high.losses[-2] - high.last)


def _run(stepper: RateStepper, setup: RateTrialSetup, share: float, updates: int) -> RateRun:
    stepper.back()
    measured = list(setup.batches[:MEASURED])
    losses = [stepper.loss(measured)]
    torch.manual_seed(1)
    while stepper.updates < updates and math.isfinite(losses[-1]):
        for _ in range(LOOKS):
            stepper.update(share * (min(1.0, (stepper.updates + 1) / WARM) if setup.plan.warms_up else 1.0))
        losses.append(stepper.loss(measured))
    sound = math.isfinite(losses[-1]) and stepper.sound()
    each = tuple(stepper.loss([batch]) for batch in setup.batches) if sound else ()
    return RateRun(share, stepper.updates, tuple(losses), each, sound)
