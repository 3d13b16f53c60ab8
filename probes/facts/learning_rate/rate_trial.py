"""The real optimiser at the schedule's peak, on a few batches: does the loss fall, stand still or run away?"""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.optimizers import set_peak_rates
from probes.facts.core.step_setup import ComputeLoss
from probes.facts.learning_rate.rate_updates import Around, RateStepper
from probes.facts.learning_rate.types import SEEN, RateRun, RateSweep, RateTrial

UPDATES, LONGER = 20, (40, 80)  # of the first look; and of further ones, where a tenth of the rate catches up
LOOKS = 5  # updates between two measurements
WARM = 5  # updates in which the rate rises where the schedule warms up
MEASURED = 2  # batches
KNOWS = 0.5  # of the entropy of the labels: below, more is known than how frequent they are
LOWER = (0.1, 0.01, 1e-3)  # of the rate
AHEAD = 0.85  # of the loss: a tenth of the rate is clearly ahead
MORE = (1e2, 1e4, 1e6)  # times the rate, until the loss moves by what is needed
DECADES, STEPS = 3, 6  # of the sweep to either side of the rate; its updates in each
AWAY = 1.5  # times the first loss: it runs away


@dataclass(frozen=True)
class RateTrialSetup:
    """What a rate trial needs."""

    model: torch.nn.Module
    batches: Sequence[Any]
    compute_loss: ComputeLoss
    optimizer: Any
    peak: float  # of the schedule, for the group with the highest rate
    warms_up: bool
    clip: float
    around: Around
    others: Iterable[Any] = ()

    def stepper(self) -> RateStepper:
        """The groups at their highest rates, scaled to the schedule's peak. Called under the observer."""
        highest = set_peak_rates(self.optimizer) or 0.0
        for group in self.optimizer.param_groups:
            if highest > 0 and not isinstance(group["lr"], torch.Tensor):
                group["lr"] *= self.peak / highest
        as_in_training(self.model)
        self.optimizer.state.clear()
        return RateStepper(self.model, self.batches, self.compute_loss, self.optimizer, self.clip, self.around)


def try_rates(
    setup: RateTrialSetup, floor: float | None, total: int | None, seconds: float, needed: float = SEEN
) -> RateTrial:
    """The peak; where that leaves a doubt, lower rates, or far higher ones where too little moves."""
    start = time.perf_counter()
    with restore_afterwards(setup.model, setup.optimizer, others=setup.others):
        stepper = setup.stepper()
        peak, lower, more = _run(stepper, setup, 1.0, UPDATES), None, None
        if _is_doubtful(peak, floor):
            peak, lower = _with_lower(stepper, setup, peak, seconds / UPDATES)
        stands = setup.peak > 0 and peak.sound and total is not None and peak.falls_short(total, needed)
        for share in MORE if stands else ():
            higher = _run(stepper, setup, share, UPDATES)
            more = higher if more is None or (higher.sound and higher.last < more.last) else more
            if not higher.sound or higher.moved > needed * abs(higher.first):
                break
    total_updates = time.perf_counter() - start
    spent = stepper.total_updates
    return RateTrial(
        setup.peak, peak, lower, more, floor, total, needed, setup.warms_up, updates=spent, seconds=total_updates
    )


def _with_lower(stepper: RateStepper, setup: RateTrialSetup, peak: RateRun, allowed: float) -> tuple[RateRun, RateRun]:
    """A tenth, or less where that does not learn either; longer walks of both while the lower one catches up."""
    start = time.perf_counter()
    for share in LOWER:
        lower = _run(stepper, setup, share, UPDATES)
        if lower.sound and max(lower.losses) <= AWAY * lower.first and lower.last < lower.first:
            break
    each = (time.perf_counter() - start) / UPDATES
    for updates in LONGER:
        if _catches_up(lower, peak) and each * updates < allowed * UPDATES / 4:
            peak, lower = (_run(stepper, setup, share, updates) for share in (1.0, lower.share))
    return peak, lower


def _is_doubtful(run: RateRun, floor: float | None) -> bool:
    """Whether no more than the label frequencies is learned: a rate far too high gets there too."""
    if not run.sound or max(run.losses) > AWAY * run.first or run.last >= run.first:
        return True
    return floor is not None and run.last >= KNOWS * floor


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
            stepper.update(share * (min(1.0, (stepper.updates + 1) / WARM) if setup.warms_up else 1.0))
        losses.append(stepper.loss(measured))
    sound = math.isfinite(losses[-1]) and stepper.sound()
    each = tuple(stepper.loss([batch]) for batch in setup.batches) if sound else ()
    return RateRun(share, stepper.updates, tuple(losses), each, sound)


def sweep(setup: RateTrialSetup) -> RateSweep:
    """From a thousandth of the rate to its thousandfold, each update a little higher."""
    start, rates, losses = time.perf_counter(), [], []
    with restore_afterwards(setup.model, setup.optimizer, others=setup.others):
        stepper = setup.stepper()
        for number in range(2 * DECADES * STEPS + 1):
            share = 10 ** (number / STEPS - DECADES)
            losses.append(stepper.loss(setup.batches[:MEASURED]))
            rates.append(setup.peak * share)
            if not losses[-1] < AWAY * abs(losses[0]) + losses[0] - abs(losses[0]):
                break
            stepper.update(share)
    return RateSweep(tuple(rates), tuple(losses), setup.peak, *_range(rates, losses), time.perf_counter() - start)


def _range(rates: Sequence[float], losses: Sequence[float]) -> tuple[float | None, float | None]:
    """From a tenth of where the sweep has gained a twentieth of all it gains, to a third of where the loss is lowest.

    A tenth, since a run has many more updates at its rate than the sweep has.
    """
    finite = [loss if math.isfinite(loss) else float("inf") for loss in losses]
    lowest = min(range(len(finite)), key=lambda place: finite[place])
    gain = finite[0] - finite[lowest]
    if lowest == 0 or gain < 0.01 * abs(finite[0]):
        return None, None
    begins = next(place for place, loss in enumerate(finite) if finite[0] - loss >= 0.05 * gain)
    return rates[begins] / 10, max(rates[begins], rates[lowest] / 3)
