"""The duration of a run, as a line."""

from collections.abc import Iterator
from typing import Any

SPANS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (0.0, "seconds"))


def span(seconds: float) -> str:
    """In the unit that suits it."""
    unit, name = next((unit, name) for unit, name in SPANS if seconds >= unit)
    return f"{seconds / (unit or 1):.1f} {name}"


def duration_lines(duration: Any) -> Iterator[str]:
    """Between two bounds; or why it is not known."""
    yield ""
    if isinstance(duration, str):
        yield f"duration unknown: {duration}; --device NAME estimates it for a GPU"
        return
    least, most = (flops / 1e12 for flops in duration.flops)
    work = f"{least:,.1f} TFLOP" if least == most else f"{least:,.1f} to {most:,.1f} TFLOP"
    yield f"duration: {span(duration.shortest)} to {span(duration.longest)} ({duration.source}; {work})"
