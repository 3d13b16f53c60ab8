"""The longest, the median and the shortest batch that the data has."""

from collections.abc import Callable, Sequence
from typing import Any

from probes.facts.core.batch_rows import Collate
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart
from probes.facts.core.torch_ops import iter_leaves

LONGEST, MEDIAN, SHORTEST = "longest", "median", "shortest"
Lengths = Sequence[tuple[float, int]]


def size_of(batch: Any) -> int:
    """Values in it: labels and inputs both count."""
    return sum(tensor.numel() for tensor in iter_leaves(batch))


def by_size(batches: Sequence[Any]) -> dict[str, Any]:
    """Of batches as they are."""
    order = sorted(batches, key=size_of)
    return {LONGEST: order[-1], MEDIAN: order[len(order) // 2], SHORTEST: order[0]}


def collated_by_size(dataset: Any, numbers: Sequence[int], collate: Collate, rows: int) -> dict[str, Any]:
    """Batches of `rows` of these items: the largest ones, those in the middle, the smallest; made in a child."""

    def work() -> dict[str, Any]:
        items = [dataset[number] for number in numbers]
        order = sorted(range(len(items)), key=lambda place: size_of(collate([copy_batch(items[place])])))
        middle = max(0, (len(order) - rows) // 2)
        picked = {LONGEST: order[-rows:], MEDIAN: order[middle : middle + rows], SHORTEST: order[:rows]}
        return {name: collate([copy_batch(items[place]) for place in places]) for name, places in picked.items()}

    return run_apart(work, dataset, collate)


def spread_numbers(total: int, rows: int, lengths: Lengths, candidates: int) -> list[int]:
    """The items of most and least length and those in the middle, where lengths are known; else evenly spread."""
    from probes.facts.core.numbers import evenly_spaced

    if len(lengths) != total or not any(map(any, lengths)):
        return list(evenly_spaced(range(total), min(total, max(candidates, 3 * rows))))
    ends: list[Callable[[int], Any]] = [lambda number: lengths[number], lambda number: lengths[number][1]]
    chosen: set[int] = set()
    for key in ends:
        order = sorted(range(total), key=key)
        middle = max(0, (total - rows) // 2)
        chosen |= {*order[:rows], *order[middle : middle + rows], *order[-rows:]}
    return sorted(chosen)
