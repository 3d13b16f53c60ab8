"""Whether a loss is a mean or a sum, by how it grows when every row of the batch is there twice."""

from probes.facts.loss.types import LossTrials

NEAR = 0.02  # relative; sums in another order differ by far less, other reductions by far more


def is_sum(trials: LossTrials) -> bool:
    return trials.growth is not None and abs(trials.growth - 2) < NEAR
