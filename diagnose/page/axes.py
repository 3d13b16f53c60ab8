"""Axes: from numbers to pixels, with ticks at round values."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

TICKS = 5


@dataclass(frozen=True)
class Axis:
    """Maps `low` to `start` and `high` to `end`, in pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (self._scaled(number) for number in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.log else value

    def ticks(self) -> list[float]:
        return _powers(self.low, self.high) if self.log else _round_steps(self.low, self.high)


def axis_of(values: Iterable[float], start: float, end: float, log: bool = False) -> Axis:
    """An axis that holds all values: from 0 where nothing is below it, or between powers of ten."""
    finite = [value for value in values if math.isfinite(value) and (not log or value > 0)]
    if not finite:
        return Axis(1.0 if log else 0.0, 10.0 if log else 1.0, start, end, log)
    if log:
        first, last = math.floor(math.log10(min(finite))), math.ceil(math.log10(max(finite)))
        return Axis(10.0**first, 10.0 ** max(last, first + 1), start, end, True)
    low, high = min(0.0, *finite), max(finite)
    return Axis(low, high + (0.05 * (high - low) or 1.0), start, end)


def _powers(low: float, high: float) -> list[float]:
    first, last = round(math.log10(low)), round(math.log10(high))
    step = max(1, math.ceil((last - first) / TICKS))
    return [10.0**power for power in range(first, last + 1, step)]


def _round_steps(low: float, high: float) -> list[float]:
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(size for size in (1, 2, 5, 10) if size * power >= rough)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def number(value: float) -> str:
    """A number in few characters: 0.25, 12,000, 3e-05."""
    if value != value or value in (math.inf, -math.inf):
        return str(value)
    if value == int(value) and abs(value) < 1e7:
        return f"{int(value):,}"
    return f"{value:.4g}"
