"""Allocations with their first and last operation, and what lives in between."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass
class Allocation:
    """One storage. `end` is None while it lives; both ends are numbers of operations."""

    bytes: int
    kind: str
    module: str
    start: int
    end: int | None = None


def live_bytes(allocations: Iterable[Allocation], length: int) -> dict[str, list[int]]:
    """Bytes that live after each operation, by kind."""
    changes: dict[str, list[int]] = {}
    for one in allocations:
        series = changes.setdefault(one.kind, [0] * (length + 2))
        series[one.start] += one.bytes
        if one.end is not None:
            series[one.end + 1] -= one.bytes
    for series in changes.values():
        for place in range(1, len(series)):
            series[place] += series[place - 1]
    return {kind: series[: length + 1] for kind, series in changes.items()}


def living_at(allocations: Iterable[Allocation], clock: int) -> Iterator[Allocation]:
    return (one for one in allocations if one.start <= clock and (one.end is None or clock <= one.end))
