"""The type of a duration."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DurationEstimate:
    """Seconds of a run, between two bounds; without evaluations that generate."""

    flops: tuple[float, float]
    shortest: float
    longest: float
    source: str
    updates: int = 0
