"""What one process of a group draws: how many batches its epoch has, and digests of the first ones."""

import time
from collections.abc import Iterable, Sized
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from torch.utils.data import DataLoader, IterableDataset

from probes.facts.core.batches import copy_batch
from probes.facts.core.digest import digest_of
from probes.facts.distributed.types import RankBatches

DRAWN = 2  # batches: one alone may be the same on purpose, where there are fewer batches than processes
COUNTED, SECONDS = 500, 10.0  # batches of a stream, and for how long they are counted
NAMED = 200_000  # batches of a sampler: some never end


def batches_of(loader: Any) -> tuple[RankBatches, list[Any]]:
    """Its epoch, named without reading data where it can be; and its first batches, drawn."""
    inner = getattr(loader, "base_dataloader", loader)
    if isinstance(inner, DataLoader):  # workers would read ahead
        vars(inner).update(num_workers=0, prefetch_factor=None, persistent_workers=False, timeout=0)
    whole = _from_sampler(loader, inner) or _counted(loader)
    drawn = [copy_batch(batch) for batch in islice(iter(loader), DRAWN)]
    return replace(whole, first=tuple(map(digest_of, drawn))), drawn


def _from_sampler(loader: Any, inner: Any) -> RankBatches | None:
    """By the sampler, which is asked for all of its epoch: the length that it says may be wrong."""
    if not isinstance(inner, DataLoader) or isinstance(inner.dataset, IterableDataset) or inner.batch_sampler is None:
        return RankBatches(len(loader)) if isinstance(loader, list | tuple) else None
    if type(loader).__name__ == "DataLoaderDispatcher":  # the first process reads for all
        return RankBatches(len(loader))
    batches = list(islice(iter(inner.batch_sampler), NAMED))
    named, data = [row for batch in batches for row in batch], inner.dataset
    rows = len(data) if isinstance(data, Sized) else None
    once = len(named) == len(set(named)) == rows
    return RankBatches(len(batches), len(batches) < NAMED, data=_digest_of_data(data), rows=rows, all_rows=once)


def _counted(loader: Iterable[Any]) -> RankBatches:
    """A stream has to be read to be counted: up to a limit."""
    count, until = 0, time.monotonic() + SECONDS
    for _ in loader:
        count += 1
        if count >= COUNTED or time.monotonic() > until:
            return RankBatches(count, whole=False)
    return RankBatches(count)


def _digest_of_data(data: Any) -> str:
    with suppress(Exception):  # a set that cannot be read has its own probes
        return digest_of((len(data), data[0]))
    return ""
