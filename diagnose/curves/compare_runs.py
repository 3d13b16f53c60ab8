"""A run beside another that is known to be good: losses at equal steps, and the figures of the evaluations."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, sqrt
from statistics import median

from diagnose.records import Records, Series

PARTS, LAST = 12, 4  # equal stretches of the steps that both have; those at the end that decide
LEAST = 5  # losses of each run in these


@dataclass(frozen=True)
class MetricPair:
    """The last figures of one metric; `wavers`: the largest change between the last evaluations of the good run."""

    name: str
    own: float
    other: float
    wavers: float


@dataclass(frozen=True)
class RunComparison:
    """Medians of the loss in equal stretches. `p_value`: how often chance alone puts the last losses so far above."""

    steps: tuple[int, ...]
    own: tuple[float, ...]
    other: tuple[float, ...]
    p_value: float
    metrics: tuple[MetricPair, ...]

    @property
    def ratio(self) -> float | None:
        """The loss beside that of the good run, over the last stretches; None where it is not above zero."""
        own, other = (median(values[-LAST:]) if values else 0.0 for values in (self.own, self.other))
        return own / other if min(own, other) > 0 else None


def compare_runs(records: Records, reference: Records) -> RunComparison:
    """Over the steps that both runs have logged; no stretch where they share none."""
    own, other = (one.finite_part.series("loss") for one in (records, reference))
    begin, end = _shared(own, other)
    edges = [begin + (end - begin) * part / PARTS for part in range(PARTS + 1)]
    stretches = [
        (round(high), _within(own, low, high, last=high == end), _within(other, low, high, last=high == end))
        for low, high in pairwise(edges)
    ]
    both = [(step, left, right) for step, left, right in stretches if left and right]
    late = [(left, right) for _, left, right in both[-LAST:]]
    lefts, rights = ([value for pair in late for value in pair[side]] for side in (0, 1))
    steps, medians = tuple(step for step, *_ in both), [(median(left), median(right)) for _, left, right in both]
    return RunComparison(
        steps,
        tuple(left for left, _ in medians),
        tuple(right for _, right in medians),
        _p_value_of_higher(lefts, rights),
        _metrics(records, reference),
    )


def _shared(own: Series, other: Series) -> tuple[int, int]:
    if not own.steps or not other.steps:
        return 0, 0
    return max(own.steps[0], other.steps[0]), min(own.steps[-1], other.steps[-1])


def _within(series: Series, low: float, high: float, last: bool) -> list[float]:
    return [v for s, v in zip(series.steps, series.values, strict=True) if low <= s < high or (last and s == high)]


def _p_value_of_higher(own: Sequence[float], other: Sequence[float]) -> float:
    """Mann and Whitney, one-sided."""
    m, n = len(own), len(other)
    if min(m, n) < LEAST:
        return 1.0
    score = sum((one > two) + 0.5 * (one == two) for one in own for two in other)
    return 0.5 * erfc((score - m * n / 2) / sqrt(m * n * (m + n + 1) / 12) / sqrt(2))


def _metrics(records: Records, reference: Records) -> tuple[MetricPair, ...]:
    """Of each metric that both have: the last evaluation, at a step that the other has reached too."""
    found = []
    for name in records.evaluated:
        own, other = (one.series(f"evaluation.{name}") for one in (records, reference))
        end = min((series.steps[-1] for series in (own, other) if series.steps), default=0)
        left, right = ([v for s, v in zip(one.steps, one.values, strict=True) if s <= end] for one in (own, other))
        if left and right:
            changes = [abs(after - before) for before, after in zip(right[-3:], right[-2:], strict=False)]
            found.append(MetricPair(name, left[-1], right[-1], max(changes, default=0.0)))
    return tuple(found)
