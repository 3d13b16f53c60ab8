"""Which figures of two evaluations from the same weights differ."""

from probes.facts.generation.types import EvaluationPair

ROUNDING = 1e-5  # relative: what sums in another order leave
TIMES = ("runtime", "per_second", "seconds", "time")


def differing_figures(pair: EvaluationPair) -> tuple[str, ...]:
    """Their names, times aside; NaN differs from nothing."""
    both = [name for name in pair.figures if name in pair.second and not any(word in name for word in TIMES)]
    return tuple(name for name in both if _apart(pair.figures[name], pair.second[name]))


def _apart(one: float, other: float) -> bool:
    return abs(one - other) > ROUNDING * max(abs(one), abs(other))
