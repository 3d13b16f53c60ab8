"""Draws batches and leaves loader, dataset, workers and random states where they were."""

import copy
import time
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from probes.facts.core.fork import CannotFork, ChildRaised, TimedOut, run_in_fork
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.types import DrawnBatches, Failure

Drawn = tuple[list[Any], list[tuple[int, ...]]]
PIECES = ("dataset", "sampler", "batch_sampler", "collate_fn", "generator")


def draw(batches: Iterable[Any], count: int) -> DrawnBatches:
    """The first batches. A list is read as it is; anything else in a child, since any of it may carry state."""
    start = time.perf_counter()
    try:
        (drawn, indices), consumed = _drawn(batches, count)
    except ChildRaised as error:
        failure = Failure("drawing", error.error, error.message, line=error.line, trace=error.trace)
        return DrawnBatches((), failure=failure, seconds=time.perf_counter() - start)
    return DrawnBatches(
        tuple(drawn), consumed, seconds=time.perf_counter() - start, indices=tuple(indices[: len(drawn)])
    )


def _drawn(batches: Iterable[Any], count: int) -> tuple[Drawn, str]:
    if isinstance(batches, list | tuple):
        return ([copy_batch(batch) for batch in batches[:count]], []), ""
    try:
        return run_in_fork(lambda: _taken(batches, count)), ""
    except TimedOut as reason:
        if getattr(_unwrapped(batches), "num_workers", 0):  # its own workers are forked all the same
            raise
        return _drawn_here(batches, count, f"in a child {reason.message}")
    except CannotFork as reason:
        return _drawn_here(batches, count, str(reason))


def _drawn_here(batches: Iterable[Any], count: int, reason: str) -> tuple[Drawn, str]:
    """In this process: attributes are put back, but what a generator function or a closure holds has moved on."""
    loader = _unwrapped(batches)
    pieces = [getattr(loader, name, None) for name in PIECES]
    with restore_afterwards(others=(batches, loader, *pieces)):
        try:
            drawn = _taken(batches, count)
        except Exception as error:
            raise ChildRaised.of(error) from error
    return drawn, f"{len(drawn[0])} batches were drawn in the training process itself, because {reason}"


def _taken(batches: Iterable[Any], count: int) -> Drawn:
    loader, named = rebuild_loader(batches)
    return list(islice(iter(loader), count)), named.seen if named else []


def rebuild_loader(batches: Iterable[Any]) -> tuple[Iterable[Any], "IndexRecordingSampler | None"]:
    """A loader like the given one, but with workers of its own: persistent ones belong to the run."""
    loader = _unwrapped(batches)
    if not isinstance(loader, DataLoader):
        return batches, None
    twin = copy.copy(loader)
    changes = {"_iterator": None, "persistent_workers": False, "pin_memory": False}
    streamed = isinstance(loader.dataset, IterableDataset)
    named = None if streamed or loader.batch_sampler is None else IndexRecordingSampler(loader.batch_sampler)
    sampler = {} if named is None else {"batch_sampler": named}
    vars(twin).update(changes | {"num_workers": min(loader.num_workers, 1)} | sampler)
    return twin, named


class IndexRecordingSampler:
    """A batch sampler that remembers which rows it named."""

    def __init__(self, sampler: Iterable[Any]) -> None:
        self.sampler = sampler
        self.seen: list[tuple[int, ...]] = []

    def __iter__(self) -> Iterator[Any]:
        for indices in self.sampler:
            self.seen.append(tuple(indices))
            yield indices

    def __len__(self) -> int:
        return len(self.sampler)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sampler, name)


def _unwrapped(batches: Any) -> Any:
    """accelerate wraps a loader to move batches to the device and to count steps; both are for the run alone."""
    while hasattr(batches, "base_dataloader"):
        batches = batches.base_dataloader
    return batches


def copy_batch(batch: Any) -> Any:
    """A copy for an instrument to use up: models and loss functions pop keys and write into their inputs."""
    try:
        return copy.deepcopy(batch)
    except Exception:  # what cannot be copied is shared, and everything beside it is not
        return _copied_by_parts(batch)


def _copied_by_parts(batch: Any) -> Any:
    if isinstance(batch, MutableMapping):
        twin = copy.copy(batch)
        twin.update({key: copy_batch(value) for key, value in batch.items()})
        return twin
    if type(batch) in (list, tuple):
        return type(batch)(map(copy_batch, batch))
    return batch.clone() if isinstance(batch, torch.Tensor) else batch


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with its tensors on the device; other values stay."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device)
    if isinstance(batch, Mapping):
        return {key: to_device(value, device) for key, value in batch.items()}
    if isinstance(batch, list | tuple) and not hasattr(batch, "_fields"):
        return type(batch)(to_device(value, device) for value in batch)
    return batch.to(device) if hasattr(batch, "to") else batch


def tensors_of(batch: Any, name: str = "batch") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in it, by the way that leads to it."""
    if isinstance(batch, torch.Tensor):
        yield name, batch
    elif isinstance(batch, Mapping):
        for key, value in batch.items():
            yield from tensors_of(value, f"{name}[{key!r}]")
    elif isinstance(batch, list | tuple):
        for number, value in enumerate(batch):
            yield from tensors_of(value, f"{name}[{number}]")
    elif not callable(batch):
        for key, value in getattr(batch, "__dict__", {}).items():
            yield from tensors_of(value, f"{name}.{key}")
