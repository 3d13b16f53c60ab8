"""Whether a whole run at a rate would change the loss by too little, so that far higher rates are tried as well."""

from probes.facts.learning_rate.types import RateRun

NOTICEABLE = 0.01  # of the loss: a change that is told from nothing
MARGIN = 10.0  # times as much as the first updates promise: a run may well become faster
# Far above the labels' statistics it goes on as it began: the weights hardly move, and so does the gradient. What a
# warm-up and momentum keep back of the first twenty updates is less than half.
LINEAR = 3.0
LONG = 200  # updates: a shorter run is a rehearsal, and learns as much as it can


def change_needed(begins: float | None, floor: float | None, steps: int | None) -> float:
    """Of the loss: down to the labels' statistics, where the model begins with less than these; else what is seen."""
    if not begins or floor is None or steps is None or steps < LONG:
        return NOTICEABLE
    return max(NOTICEABLE, 1 - floor / begins)


def falls_short(run: RateRun, total: int, needed: float) -> bool:
    """Even so many times over, a run of `total` updates would not move the loss by this part of it."""
    return (MARGIN if needed <= NOTICEABLE else LINEAR) * run.promises(total) < needed * abs(run.first)
