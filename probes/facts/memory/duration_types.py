"""The type of a duration."""

from dataclasses import dataclass

SPANS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (0.0, "seconds"))


@dataclass(frozen=True)
class DurationEstimate:
    """Seconds of a run, between two bounds; without evaluations that generate."""

    flops: tuple[float, float]
    shortest: float
    longest: float
    source: str

    def __str__(self) -> str:
        least, most = (flops / 1e12 for flops in self.flops)
        work = f"{least:,.1f} TFLOP" if least == most else f"{least:,.1f} to {most:,.1f} TFLOP"
        return f"{span(self.shortest)} to {span(self.longest)} ({self.source}; {work})"


def span(seconds: float) -> str:
    """In the unit that suits it."""
    unit, name = next((unit, name) for unit, name in SPANS if seconds >= unit)
    return f"{seconds / (unit or 1):.1f} {name}"
