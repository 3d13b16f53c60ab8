"""When losses of the same rows count as equal, and when two parts of a batch count as independent."""

from probes.facts.traits.types import TraitTrials

CLOSE = 1e-4  # of a loss: float32 over other row counts and paddings; two seeds of a random pass differ by far more
ADDITIVE = 0.01  # of the smaller change: rounding


def is_close(trials: TraitTrials, one: float, other: float) -> bool:
    """Whether two losses of these rows are the same but for rounding."""
    return abs(one - other) <= CLOSE * max(abs(trials.loss), abs(one), abs(other), 1e-6)


def adds_up(trials: TraitTrials) -> bool:
    """The loss of all rows is the sum of the parts' losses, or their mean by one of the shares."""
    if trials.parts is None:
        return False
    first, second = trials.parts
    combined = [first + second, *(share * first + (1 - share) * second for share in trials.shares)]
    return any(is_close(trials, value, trials.loss) for value in combined)


def is_additive(trials: TraitTrials) -> bool:
    """Other inputs in one half change the loss by the same amount, whatever the inputs of the other half are.

    So the means of a joint loss over rows and over tokens are recognized too.
    """
    return trials.interaction is not None and trials.interaction < ADDITIVE
