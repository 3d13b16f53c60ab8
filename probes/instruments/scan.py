"""Goes through the batches of a run, one plain step each, to the first that fails."""

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Any

from probes.instruments.batches import PIECES, renewed
from probes.instruments.corpus_progress import counted
from probes.instruments.observer import observed
from probes.instruments.replay import Subject, is_sound


class NoSuchBatch(Exception):
    """The batches end before the one that was asked for."""


@dataclass(frozen=True)
class Failing:
    """A batch whose step is not finite, its number, and the dataset's rows in it where a sampler names them."""

    batch: Any
    number: int
    indices: tuple[int, ...] = ()


def first_failing(subject: Subject, batches: Iterable[Any], number: int | None = None) -> Failing | None:
    """The first of all batches that fails, or whether that of this number does; None when all is finite."""
    loader, named = renewed(batches)
    pieces = [getattr(loader, name, None) for name in PIECES]
    total = _length(loader)
    found = -1
    with observed(others=(batches, loader, *pieces)):
        for found, batch in enumerate(counted(islice(loader, _end(number)), total, "batches are finite")):
            if number in (None, found) and not is_sound(subject, batch):
                return Failing(batch, found, named.seen[found] if named else ())
    if found < (number or 0):
        raise NoSuchBatch(f"there are {found + 1} batches, counted from 0" if found >= 0 else "there is no batch")
    return None


def _length(loader: Iterable[Any]) -> int:
    """0 where it is not known: a loader over a stream has the method and raises."""
    try:
        return len(loader) if isinstance(loader, Sized) else 0
    except (TypeError, NotImplementedError):
        return 0


def _end(number: int | None) -> int | None:
    return None if number is None else number + 1
