"""Goes through the batches of a run, one plain step each, to the first that fails."""

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from diagnose.engine.context import Unavailable
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import PIECES, IndexRecordingSampler, rebuild_loader
from probes.facts.core.failure import one_line
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.progress_log import log_progress
from probes.facts.nonfinite.traced_step import AutocastSetup, step_is_finite


class BatchNotDrawn(Unavailable):
    """A batch cannot be drawn: its number, and the dataset's rows in it where a sampler names them."""

    number: int
    indices: tuple[int, ...]

    @classmethod
    def at(cls, number: int, indices: tuple[int, ...], error: Exception) -> Self:
        found = cls(f"batch {number}: {one_line(str(error))}")
        found.number, found.indices = number, indices
        return found


@dataclass(frozen=True)
class FailingBatch:
    """A batch whose step is not finite, its number, and the dataset's rows in it where a sampler names them."""

    batch: Any
    number: int
    indices: tuple[int, ...] = ()


def first_nonfinite_batch(
    subject: AutocastSetup, batches: Iterable[Any], number: int | None = None
) -> FailingBatch | None:
    """The first of all batches that fails, or whether that of this number does; None when all is finite."""
    return _first(batches, number, lambda batch: not step_is_finite(subject, batch))


def batch_of(batches: Iterable[Any], number: int) -> Any:
    """The batch of this number, whatever its step is like."""
    found = _first(batches, number, lambda batch: True)
    assert found is not None
    return found.batch


def _first(batches: Iterable[Any], number: int | None, fails: Callable[[Any], bool]) -> FailingBatch | None:
    loader, recorder = rebuild_loader(batches)
    pieces = [getattr(loader, name, None) for name in PIECES]
    found = -1
    with (
        seeded("batches"),
        restore_afterwards(others=(batches, loader, *pieces)),
    ):  # the same number is the same batch again
        drawn = islice(_draw(loader, recorder), None if number is None else number + 1)
        for found, batch in enumerate(log_progress(drawn, _length(loader), "batches are finite")):
            if number in (None, found) and fails(batch):
                return FailingBatch(batch, found, _indices(recorder, found))
    if found < (number or 0):
        raise Unavailable(f"there are {found + 1} batches, counted from 0" if found >= 0 else "there is no batch")
    return None


def _draw(loader: Iterable[Any], recorder: IndexRecordingSampler | None) -> Iterator[Any]:
    number = 0
    try:
        for batch in loader:
            yield batch
            number += 1
    except Exception as error:
        raise BatchNotDrawn.at(number, _indices(recorder, number), error) from error


def _indices(recorder: IndexRecordingSampler | None, number: int) -> tuple[int, ...]:
    return recorder.recorded[number] if recorder and number < len(recorder.recorded) else ()


def _length(loader: Iterable[Any]) -> int:
    """0 where it is not known: a loader over a stream has the method and raises."""
    try:
        return len(loader) if isinstance(loader, Sized) else 0
    except (TypeError, NotImplementedError):
        return 0
