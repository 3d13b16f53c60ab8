"""Draws batches and leaves loader, dataset, workers and random states where they were."""

import copy
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import torch
from torch.utils.data import DataLoader, IterableDataset

from diagnose.engine.context import NotApplicable
from probes.facts.core.fork import SECONDS, CannotFork, ChildRaised, TimedOut, run_in_fork
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.torch_ops import map_leaves, values_of
from probes.facts.core.types import DrawnBatches

Drawn = tuple[list[Any], list[tuple[int, ...]]]
Value = TypeVar("Value")
Work: TypeAlias = Callable[[Iterable[Any], "IndexRecordingSampler | None"], Value]
ONCE = "train_batches is an iterator and can be iterated only once: pass the DataLoader or the list itself"
PIECES = ("dataset", "sampler", "batch_sampler", "collate_fn", "generator")


def draw(batches: Iterable[Any], count: int) -> DrawnBatches:
    """The first batches. A list is read as it is; anything else in a child, since any of it may carry state."""
    start = time.perf_counter()

    def take(loader: Iterable[Any], recorder: "IndexRecordingSampler | None") -> Drawn:
        return [copy_batch(batch) for batch in islice(iter(loader), count)], recorder.recorded if recorder else []

    try:
        (drawn, indices), reason = run_over(batches, take)
    except ChildRaised as error:
        return DrawnBatches((), failure=error.failure("drawing"), seconds=time.perf_counter() - start)
    here = f"{len(drawn)} batches were drawn in the training process itself, because {reason}" if reason else ""
    seconds = time.perf_counter() - start
    return DrawnBatches(tuple(drawn), here, seconds=seconds, indices=tuple(indices[: len(drawn)]), once=_once(batches))


def run_over(batches: Iterable[Any], work: Work[Value], seconds: float = SECONDS) -> tuple[Value, str]:
    """What `work` makes of the batches and of the rows in them; and why it ran in this process, where it did."""
    if isinstance(batches, list | tuple):
        return work(batches, None), ""
    if hasattr(batches, "_worker_result_queue"):  # a child would take batches out of the queue that the run reads
        raise NotApplicable(ONCE)
    try:
        return run_in_fork(lambda: work(*rebuild_loader(batches)), seconds), ""
    except TimedOut as reason:
        if getattr(unwrap_loader(batches), "num_workers", 0):  # its own workers are forked all the same
            raise
        return _run_here(batches, work), f"in a child {reason.message}"
    except CannotFork as reason:
        return _run_here(batches, work), str(reason)


def _once(batches: Any) -> bool:
    """An iterator: whoever reads it has used it up."""
    return isinstance(batches, Iterator)


def _run_here(batches: Iterable[Any], work: Work[Value]) -> Value:
    """In this process: attributes are restored, but the state of generator functions and closures has advanced."""
    if _once(batches):
        raise NotApplicable(ONCE)
    loader = unwrap_loader(batches)
    pieces = [getattr(loader, name, None) for name in PIECES]
    with restore_afterwards(others=(batches, loader, *pieces)):
        try:
            return work(*rebuild_loader(batches))
        except Exception as error:
            raise ChildRaised.of(error) from error


def rebuild_loader(batches: Iterable[Any]) -> tuple[Iterable[Any], "IndexRecordingSampler | None"]:
    """A loader like the given one, but with workers of its own: persistent ones belong to the run."""
    loader = unwrap_loader(batches)
    if not isinstance(loader, DataLoader):
        return batches, None
    clone = copy.copy(loader)
    changes = {"_iterator": None, "persistent_workers": False, "pin_memory": False}
    streamed = isinstance(loader.dataset, IterableDataset)
    recorder = None if streamed or loader.batch_sampler is None else IndexRecordingSampler(loader.batch_sampler)
    sampler = {} if recorder is None else {"batch_sampler": recorder}
    vars(clone).update(changes | {"num_workers": min(loader.num_workers, 1)} | sampler)
    return clone, recorder


class IndexRecordingSampler:
    """A batch sampler that records the indices it yields."""

    def __init__(self, sampler: Iterable[Any]) -> None:
        self.sampler = sampler
        self.recorded: list[tuple[int, ...]] = []

    def __iter__(self) -> Iterator[Any]:
        for indices in self.sampler:
            self.recorded.append(tuple(indices))
            yield indices

    def __len__(self) -> int:
        return len(self.sampler)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sampler, name)


def unwrap_loader(batches: Any) -> Any:
    """accelerate wraps a loader to move batches to the device and to count steps; both are for the run alone."""
    while hasattr(batches, "base_dataloader"):
        batches = batches.base_dataloader
    return batches


def copy_batch(batch: Any) -> Any:
    """A deep copy: models and loss functions pop keys and write into their inputs."""
    try:
        return copy.deepcopy(batch)
    except Exception:  # what cannot be copied is shared, and everything beside it is not
        return _copied_by_parts(batch)


def _copied_by_parts(batch: Any) -> Any:
    if isinstance(batch, MutableMapping):
        clone = copy.copy(batch)
        clone.update({key: copy_batch(value) for key, value in batch.items()})
        return clone
    if type(batch) in (list, tuple):
        return type(batch)(map(copy_batch, batch))
    return batch.clone() if isinstance(batch, torch.Tensor) else batch


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with its tensors on the device; other values stay."""
    return map_leaves(batch, lambda leaf: leaf.to(device) if hasattr(leaf, "to") else leaf)


def tensors_of(batch: Any, name: str = "batch") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in the batch with its path; of a sparse one, the values."""
    if isinstance(batch, torch.Tensor):
        yield name, values_of(batch)
    elif isinstance(batch, Mapping):
        for key, value in batch.items():
            yield from tensors_of(value, f"{name}[{key!r}]")
    elif isinstance(batch, list | tuple):
        for number, value in enumerate(batch):
            yield from tensors_of(value, f"{name}[{number}]")
    elif not callable(batch):
        for key, value in getattr(batch, "__dict__", {}).items():
            yield from tensors_of(value, f"{name}.{key}")
