"""Numbers spread evenly over a range."""

from collections.abc import Sequence


def evenly_spaced(numbers: Sequence[int], count: int) -> list[int]:
    """`count` of the numbers, from the first to the last, at equal distances."""
    if count >= len(numbers):
        return list(numbers)
    return [numbers[round(k * (len(numbers) - 1) / max(1, count - 1))] for k in range(count)]
