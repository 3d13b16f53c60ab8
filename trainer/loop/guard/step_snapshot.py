"""Snapshot of a step while it is made, so that it can be recorded or undone if it fails."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from trainer.loop.guard.rng_state import RngState

SMALL = 100_000  # elements: less is always copied; a larger buffer, such as a table of positions, only when written to


class BufferSnapshot:
    """Copies of the model's buffers at the start of a step: a forward pass with NaN poisons running means."""

    def __init__(self, model: nn.Module) -> None:
        self._buffers = dict(model.named_buffers())
        self._copies: dict[str, tuple[tuple[int, int], Tensor]] = {}

    def copy(self) -> dict[str, Tensor]:
        """The buffers now; large ones that were not written to since the last call are not copied again."""
        for name, buffer in self._buffers.items():
            version = (buffer.data_ptr(), buffer._version)
            # batch norm writes its running means without a new version, so small ones are always copied
            if name not in self._copies or buffer.numel() < SMALL or self._copies[name][0] != version:
                self._copies[name] = (version, buffer.detach().clone())
        return {name: copy for name, (_, copy) in self._copies.items()}

    def restore(self, copies: Mapping[str, Tensor]) -> None:
        """Put the copies back."""
        with torch.no_grad():
            for name, copy in copies.items():
                if not torch.equal(self._buffers[name], copy):
                    self._buffers[name].copy_(copy)


@dataclass
class StepSnapshot:
    """One step: its micro-batches as they came from the loader, and the RNG state before each of them."""

    step: int
    batches: list[Any]
    totals: Any
    lr: float
    buffers: dict[str, Tensor]
    nothing_scored: bool = False
    batches_modified: bool = False  # the model wrote into the batches, and no copy was made
    loading_seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    rng_states: list[RngState] = field(default_factory=list)
    losses: list[Tensor] = field(default_factory=list)
    terms: tuple[str, ...] = ()  # names of the loss terms
    totals_before: dict[str, Any] = field(default_factory=dict)  # running sums of the loop

    def figures(self, loss: float, norm: float, terms: list[float]) -> dict[str, Any]:
        """The figures of the step for the guard."""
        return {
            "step": self.step,
            "loss": None if self.nothing_scored else loss,
            "parts": dict(zip(self.terms, terms, strict=True)) if "ctc" in self.terms or len(terms) > 1 else {},
            "grad_norm": norm,
            "lr": self.lr,
            "seconds": time.perf_counter() - self.started,
            "loading_seconds": self.loading_seconds,
        }


class BatchCopier:
    """Copies the batches of a step while the model may write into them: few do, and copying takes time."""

    def __init__(self) -> None:
        self._copying, self._is_first = True, True
        self._batches: list[Any] = []
        self._versions: list[int] = []

    def copies_of(self, batches: list[Any]) -> list[Any]:
        """Before the step: copies, until a step has shown that the model does not write into its batches."""
        self._batches, self._versions = batches, list(_versions(batches))
        return clone_batch(batches) if self._copying else batches

    def were_modified(self) -> bool:
        """After the step: whether the model wrote into batches that were not copied; the next ones are."""
        written = list(_versions(self._batches)) != self._versions
        modified = written and not self._copying
        self._copying, self._is_first = written or (self._copying and not self._is_first), False
        return modified


def _versions(batch: Any) -> Iterator[int]:
    if isinstance(batch, Tensor):
        yield batch._version
    elif isinstance(batch, Mapping | list | tuple):
        for one in batch.values() if isinstance(batch, Mapping) else batch:
            yield from _versions(one)


def clone_batch(batch: Any) -> Any:
    """A deep copy of a batch: the same containers, cloned tensors."""
    if isinstance(batch, Tensor):
        return batch.clone()
    if isinstance(batch, Mapping):
        return {name: clone_batch(value) for name, value in batch.items()}
    return type(batch)(map(clone_batch, batch)) if isinstance(batch, list | tuple) else batch
