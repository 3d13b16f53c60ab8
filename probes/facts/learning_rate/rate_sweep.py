"""Updates at ever higher rates: from where on the loss falls, and from where on it does not."""

import math
import time
from collections.abc import Sequence

from probes.facts.core.observer import restore_afterwards
from probes.facts.learning_rate.rate_trial import AWAY, MEASURED, RateTrialSetup
from probes.facts.learning_rate.types import RateSweep

DECADES, STEPS = 3, 6  # of the sweep to either side of the rate; its updates in each


def sweep(setup: RateTrialSetup) -> RateSweep:
    """From a thousandth of the rate to its thousandfold, each update a little higher."""
    start, rates, losses = time.perf_counter(), [], []
    with restore_afterwards(setup.model, setup.optimizer, others=setup.others):
        stepper = setup.stepper()
        for number in range(2 * DECADES * STEPS + 1):
            share = 10 ** (number / STEPS - DECADES)
            losses.append(stepper.loss(setup.batches[:MEASURED]))
            rates.append(setup.plan.peak * share)
            if not losses[-1] < AWAY * abs(losses[0]) + losses[0] - abs(losses[0]):
                break
            stepper.update(share)
    return RateSweep(tuple(rates), tuple(losses), setup.plan.peak, *_range(rates, losses), time.perf_counter() - start)


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
