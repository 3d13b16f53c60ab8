"""Batches in the place of a loader, and the loader behind what a loop reads."""

from collections.abc import Iterator
from typing import Any

from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter


class Batches:
    """Reads like the loader, and like an iterator over it, for what the loop does with either."""

    def __init__(self, batches: list[Any], loader: Any) -> None:
        self.rest, self.loader = iter(batches), loader

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self.rest)

    def __len__(self) -> int:
        return len(self.loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def loader_behind(batches: Any) -> Any:
    """What the loop reads, or the DataLoader that its iterator, generator or progress bar reads."""
    if hasattr(batches, "iterable"):  # tqdm
        return batches.iterable
    if isinstance(batches, _BaseDataLoaderIter):  # iter(loader)
        return DataLoader(batches._dataset, batch_sampler=batches._index_sampler, collate_fn=batches._collate_fn)
    frame = getattr(batches, "gi_frame", None)
    held = list(frame.f_locals.values()) if frame else []
    return next((one for one in held if isinstance(one, DataLoader)), batches)
