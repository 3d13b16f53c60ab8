"""What is kept of a step while it is made, so that it can be recorded if it fails."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from trainer.loop.guard.rng_state import Chances

SMALL = 100_000  # elements: less is always copied; a larger buffer, such as a table of positions, only when written to


class BufferSnapshot:
    """The model's buffers as they are when a step starts: a forward pass with NaN poisons running means."""

    def __init__(self, model: nn.Module) -> None:
        self._buffers = dict(model.named_buffers())
        self._kept: dict[str, tuple[tuple[int, int], Tensor]] = {}

    def copy(self) -> dict[str, Tensor]:
        """What they hold now; large ones that nobody wrote to since the last time are not copied again."""
        for name, buffer in self._buffers.items():
            mark = (buffer.data_ptr(), buffer._version)
            # batch norm writes its running means without a mark, so small ones are not trusted to have one
            if name not in self._kept or buffer.numel() < SMALL or self._kept[name][0] != mark:
                self._kept[name] = (mark, buffer.detach().clone())
        return {name: copy for name, (_, copy) in self._kept.items()}

    def put_back(self, copies: Mapping[str, Tensor]) -> None:
        """What they held when they were copied."""
        with torch.no_grad():
            for name, copy in copies.items():
                if not torch.equal(self._buffers[name], copy):
                    self._buffers[name].copy_(copy)


@dataclass
class StepSnapshot:
    """One step: its micro-batches as they came from the loader, and the state in which each of them was met."""

    step: int
    batches: list[Any]
    totals: Any
    lr: float
    buffers: dict[str, Tensor]
    empty: bool = False
    spoilt: bool = False  # the model wrote into the batches, and no copy was made
    loading_seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    chances: list[Chances] = field(default_factory=list)
    losses: list[Tensor] = field(default_factory=list)
    parts: tuple[str, ...] = ()  # of the loss, by name
    sums: dict[str, Any] = field(default_factory=dict)  # of the loop, before the step


class BatchCopier:
    """A step's batches as they came. Copying costs a large part of a small step, and few models write into them."""

    def __init__(self) -> None:
        self._copies, self._first = True, True
        self._given: list[Any] = []
        self._marks: list[int] = []

    def take(self, batches: list[Any]) -> list[Any]:
        """Before the step: copies, until a step has shown that the model leaves its batches alone."""
        self._given, self._marks = batches, list(_versions(batches))
        return clone_batch(batches) if self._copies else batches

    def spoilt(self) -> bool:
        """After it: whether the model wrote into what was not copied; from then on it is."""
        written = list(_versions(self._given)) != self._marks
        spoilt = written and not self._copies
        self._copies, self._first = written or (self._copies and not self._first), False
        return spoilt


def _versions(batch: Any) -> Iterator[int]:
    if isinstance(batch, Tensor):
        yield batch._version
    elif isinstance(batch, Mapping | list | tuple):
        for one in batch.values() if isinstance(batch, Mapping) else batch:
            yield from _versions(one)


def clone_batch(batch: Any) -> Any:
    """A batch that a model cannot write into: the same containers, tensors of their own."""
    if isinstance(batch, Tensor):
        return batch.clone()
    if isinstance(batch, Mapping):
        return {name: clone_batch(value) for name, value in batch.items()}
    return type(batch)(map(clone_batch, batch)) if isinstance(batch, list | tuple) else batch
