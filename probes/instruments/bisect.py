"""From a failing batch to the fewest rows that fail, and to the birth of the bad value."""

from dataclasses import replace
from typing import Any

from probes.instruments.loss_rows import NotCut, rows_of_batch, taken
from probes.instruments.replay import Subject, find_origin, is_sound
from probes.instruments.rows import Rows, fewest
from probes.measured.origin import Bisected, Origin

REPLAYS = 3  # before a failure that does not come back is called unsteady


def bisect(subject: Subject, batch: Any, names: tuple[str, ...] = ()) -> Bisected:
    """One plain step; when it is finite, that was all."""
    if is_sound(subject, batch):
        return Bisected()
    replays = ((number, find_origin(subject, batch)) for number in range(REPLAYS))
    failed, origin = next(((number, found) for number, found in replays if found), (REPLAYS, None))
    if origin is None:
        return Bisected(Origin("forward pass", "", "unsteady", steady=False, precision=subject.precision))
    if origin.phase in ("weights", "update"):  # no row is to blame
        return Bisected(origin)
    if failed:  # halving a failure that comes and goes would name any row
        return Bisected(replace(origin, steady=False))
    rows = _rows(subject, batch)
    return Bisected(replace(origin, rows=rows, files=tuple(_name(names, row) for row in rows)))


def _rows(subject: Subject, batch: Any) -> Rows:
    """The fewest that still fail; none where the batch cannot be cut into rows."""
    try:
        size = rows_of_batch(batch, None)
    except NotCut:
        return ()

    def fails(rows: Rows) -> bool:
        try:
            return not is_sound(subject, taken(batch, rows, size))
        except Exception:  # a part of a batch may be no batch for this model
            return False

    return fewest(tuple(range(size)), fails)


def _name(names: tuple[str, ...], row: int) -> str:
    """A multitask collator repeats its rows, once for each task."""
    return names[row % len(names)] if names else ""
