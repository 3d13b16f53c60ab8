"""Runs a loader's own workers over the same rows, twice: what is random must differ between workers and epochs."""

import copy
from contextlib import suppress
from itertools import islice
from typing import Any

from torch.utils.data import DataLoader, IterableDataset

from probes.facts.core.digest import digest_of
from probes.facts.core.fork import run_in_fork
from probes.facts.dataloader.types import RowOrder, WorkerDraws

DRAWS = 8  # of each worker: enough that independent draws agree in all of them with a chance below 1e-4
ROWS = 2
MOST = 200_000  # rows of an epoch that are compared


def is_map_style(loader: Any) -> bool:
    """A loader that asks its dataset for rows by their number."""
    return isinstance(loader, DataLoader) and not isinstance(loader.dataset, IterableDataset)


def order_of(loader: DataLoader[Any]) -> RowOrder | None:
    """Asks the sampler alone: no row is loaded. None if it draws something else than numbers of rows."""
    return run_in_fork(lambda: _order(loader))


def _order(loader: DataLoader[Any]) -> RowOrder | None:
    sampler = loader.batch_sampler or loader.sampler
    pieces = (loader, sampler, loader.sampler, getattr(sampler, "sampler", None))
    if not all(hasattr(row, "__index__") for batch in islice(iter(sampler), 1) for row in _rows(batch)):
        return None
    untold = [_epoch(sampler) for _ in range(2)]
    epochs = []
    for epoch in range(2):
        _set_epoch(epoch, *pieces)
        epochs.append(_epoch(sampler))
    (first, batches), (second, _) = epochs
    kind = type(getattr(sampler, "sampler", None) or sampler).__name__
    waits = untold[0] == untold[1] and first != second and not hasattr(loader, "set_epoch")
    return RowOrder(kind, len(first), batches, tuple(first[:8]), first == sorted(first), first == second, waits)


def _epoch(sampler: Any) -> tuple[list[int], int]:
    """The rows in their order, and the number of batches."""
    taken = [_rows(batch) for batch in islice(iter(sampler), MOST)]
    return [int(row) for batch in taken for row in batch][:MOST], len(taken)


def _rows(batch: Any) -> Any:
    return batch if isinstance(batch, list | tuple) else [batch]


def measure_worker_draws(loader: DataLoader[Any]) -> WorkerDraws:
    """With the loader's own workers, two at most."""
    return run_in_fork(lambda: _draws(loader, min(2, loader.num_workers)))


def _draws(loader: DataLoader[Any], workers: int) -> WorkerDraws:
    rows = list(range(min(ROWS, len(loader.dataset))))  # type: ignore[arg-type]
    twin = copy.copy(loader)
    sampled = {"batch_sampler": [rows] * (DRAWS * workers), "_iterator": None, "num_workers": workers}
    vars(twin).update({**sampled, "pin_memory": False, "_IterableDataset_len_called": None})
    epochs = []
    for epoch in range(2):
        _set_epoch(epoch, loader.dataset, loader.collate_fn)
        epochs.append([digest_of(batch, unknown=repr) for batch in twin])
    one, two = epochs[0][::workers], epochs[0][1::workers] if workers > 1 else None
    agree = None if two is None else sum(a == b for a, b in zip(one, two, strict=True))
    again = sum(a == b for a, b in zip(one, epochs[1][::workers], strict=True))
    return WorkerDraws(loader.num_workers, DRAWS, len(set(one)), agree, again)


def _set_epoch(epoch: int, *pieces: Any) -> None:
    for piece in pieces:
        tell = getattr(piece, "set_epoch", None)
        if callable(tell):
            with suppress(Exception):  # one that wants something else is asked as it is
                tell(epoch)
