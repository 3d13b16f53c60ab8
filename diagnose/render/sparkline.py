"""A curve in one line of text."""

from collections.abc import Sequence
from math import isfinite

from diagnose.records import Records, Series

BARS = "▁▂▃▄▅▆▇█"
BROKEN = "×"
WIDTH = 48
FIGURES = ("loss", "grad_norm", "lr", "scale", "weight_norm", "seconds", "loading_seconds")


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """Equal shares of the values as bars between the lowest and the highest; what is not finite is crossed out."""
    size = -(-len(values) // width) or 1
    shares = [values[at : at + size] for at in range(0, len(values), size)]
    means = [sum(share) / len(share) for share in shares]
    finite = [mean for mean in means if isfinite(mean)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    return "".join(_bar(mean, low, high) for mean in means)


def _bar(value: float, low: float, high: float) -> str:
    if not isfinite(value):
        return BROKEN
    share = (value - low) / (high - low) if high > low else 0.0
    return BARS[min(len(BARS) - 1, int(share * len(BARS)))]


def curves_of(records: Records) -> list[str]:
    """One line for each figure: its name, its curve, where it began and ended."""
    names = [*FIGURES, *(f"evaluation.{name}" for name in records.evaluated)]
    figures = [(name.replace("evaluation.", "eval "), records.series(name)) for name in names]
    curves = [(name, series) for name, series in figures if series.values]
    width = max((len(name) for name, _ in curves), default=0)
    return [f"{name:<{width}}  {sparkline(series.values)}  {_ends(series)}" for name, series in curves]


def _ends(series: Series) -> str:
    first, last = series.values[0], series.values[-1]
    return f"{first:.4g} → {last:.4g} ({len(series.values)} in steps {series.steps[0]}-{series.steps[-1]})"
