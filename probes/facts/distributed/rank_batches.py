"""What one process of a group draws: how many batches its epoch has, and digests of the first ones."""

import hashlib
import time
from collections.abc import Iterable, Mapping, Sized
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from probes.facts.core.batches import copy_batch
from probes.facts.distributed.types import RankBatches

DRAWN = 2  # batches: one alone may be the same on purpose, where there are fewer batches than processes
COUNTED, SECONDS = 500, 10.0  # batches of a stream, and for how long they are counted
NAMED = 200_000  # batches of a sampler: some never end


def batches_of(loader: Any) -> tuple[RankBatches, list[Any]]:
    """Its epoch, named without reading data where it can be; and its first batches, drawn."""
    inner = getattr(loader, "base_dataloader", loader)
    if isinstance(inner, DataLoader):  # workers would read ahead
        vars(inner).update(num_workers=0, prefetch_factor=None, persistent_workers=False, timeout=0)
    whole = _named(loader, inner) or _counted(loader)
    drawn = [copy_batch(batch) for batch in islice(iter(loader), DRAWN)]
    return replace(whole, first=tuple(map(digest_of, drawn))), drawn


def _named(loader: Any, inner: Any) -> RankBatches | None:
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


def digest_of(value: Any) -> str:
    found = hashlib.blake2b(digest_size=8)
    _feed(found, value)
    return found.hexdigest()


def _feed(found: Any, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        found.update(f"{value.dtype}{tuple(value.shape)}".encode())
        found.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            found.update(str(name).encode())
            _feed(found, value[name])
    elif isinstance(value, list | tuple):
        for one in value:
            _feed(found, one)
    elif hasattr(value, "tobytes"):
        found.update(value.tobytes())
    else:
        found.update(repr(value).encode() if isinstance(value, str | int | float | bool | bytes | None) else b"?")
