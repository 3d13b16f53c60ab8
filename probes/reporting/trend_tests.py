"""Statistics of short series, without numpy: a look at a running training must cost next to nothing."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import erfc, isfinite, log, sqrt
from statistics import median

SWINGS = 0.3  # from value to value, as a share of the level: a median of three tells nothing of the level then
# Of its level: a hundredth of what the 24 recorded healthy runs fall by at the least.
LEAST_FALL = 0.005
FALLS = 0.01  # the chance below which a whole run falls
WINDOW = 256  # the newest values, where only these matter
BINS = 24  # a rank test over so many medians takes microseconds, and neighbours in one bin are not counted twice
# One false alarm in a thousand runs, each looked at a thousand times while it grows.
CERTAIN = 1e-6


def binned(values: Sequence[float], most: int = BINS) -> list[float]:
    """Medians of equal shares, in order; the values themselves where there are few."""
    size = -(-len(values) // most)
    if size < 2:
        return list(values)
    return [median(values[at : at + size]) for at in range(0, len(values), size)]


def noise(values: Sequence[float]) -> float:
    """The standard deviation from one value to the next, by the median: neither a trend nor a spike moves it."""
    steps = [after - before for before, after in pairwise(values)]
    if not steps:
        return 0.0
    slope = (values[-1] - values[0]) / len(steps)
    return 1.4826 * median(abs(step - slope) for step in steps) / sqrt(2)


def p_value_of_rise(values: Sequence[float]) -> float:
    """How often chance alone orders so many values so well upwards (Mann and Kendall, one-sided)."""
    count = len(values)
    if count < 4:
        return 1.0
    score = _score(values)
    ties = [values.count(value) for value in set(values)] if len(set(values)) < count else []
    spread = count * (count - 1) * (2 * count + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)
    return 0.5 * erfc((score - 1) / sqrt(spread / 18) / sqrt(2)) if spread > 0 and score > 0 else 1.0


def p_value_of_fall(values: Sequence[float]) -> float:
    """The same downwards."""
    return p_value_of_rise([-value for value in values])


def p_value_of_lower(values: Sequence[float], others: Sequence[float]) -> float:
    """How often chance alone puts these values so far below the others (Mann and Whitney, one-sided)."""
    if not values or not others:
        return 1.0
    score = sum((value < other) + 0.5 * (value == other) for value in values for other in others)
    m, n = len(values), len(others)
    return 0.5 * erfc((score - m * n / 2) / sqrt(m * n * (m + n + 1) / 12) / sqrt(2))


def kendall_tau(values: Sequence[float]) -> float:
    """Kendall's tau against time: 1 where every value is above all before it, -1 where below."""
    pairs = len(values) * (len(values) - 1) / 2
    return _score(values) / pairs if pairs else 0.0


def _score(values: Sequence[float]) -> int:
    places = range(len(values))
    return sum(
        (values[later] > value) - (values[later] < value)
        for place, value in enumerate(values)
        for later in places[place + 1 :]
    )


def longest_run(flags: Iterable[bool]) -> tuple[int, int]:
    """Where the longest run of True begins and ends, the first of equal ones; (0, 0) where there is none."""
    longest, begin = (0, 0), 0
    for place, flag in enumerate(flags):
        begin = begin if flag else place + 1
        if place + 1 - begin > longest[1] - longest[0]:
            longest = begin, place + 1
    return longest


def logs(values: Sequence[float]) -> list[float]:
    """Natural logarithms, where all are above zero; else nothing."""
    return [log(value) for value in values] if all(value > 0 and isfinite(value) for value in values) else []


def recent_median(values: Sequence[float], count: int = 5) -> float:
    """Where the series stands: the median of its last values."""
    return median(values[-count:])


def initial_median(values: Sequence[float], count: int = 3) -> float:
    """Where the series began: the median of its first values."""
    return median(values[:count])


def initial_level(values: Sequence[float]) -> float:
    """Where the series began; of one that swings from value to value, a longer stretch of it."""
    swings = noise(values) > SWINGS * abs(median(values)) if values else False
    return binned(values)[0] if swings else initial_median(values)


def has_stood_still(values: Sequence[float]) -> bool:
    """Whether a loss has not fallen from its first value to its last, neither steadily nor within its first records."""
    level = median(values[-max(1, len(values) // 3) :])
    fall = initial_level(values) - level
    if fall < LEAST_FALL * abs(level):
        return True
    early = values[: max(3, len(values) // 24)]
    return p_value_of_fall(binned(values)) > FALLS and fall < 3 * noise(values) / sqrt(len(early))
