"""Replay of a recorded step: its model, optimizer, micro-batches and RNG states."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import convert_outputs_to_fp32

from trainer.loop.guard.first_nonfinite_module import first_nonfinite_module
from trainer.loop.guard.rng_state import RngState, set_rng_state
from trainer.loop.guard.step_snapshot import BufferSnapshot, clone_batch
from trainer.loop.loss import TargetCounts, combine_terms, count, weighted_terms

if TYPE_CHECKING:
    from trainer.models.bundle import Batch, ModelBundle

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


@dataclass(frozen=True)
class RecordedMicroBatch:
    """One micro-batch of the step."""

    batch: Batch
    rng_state: RngState
    loss: float | None  # as it was recorded; None: the step had ended before
    files: tuple[str, ...]


@dataclass(frozen=True)
class RecordedStep:
    """A step, with all that is needed to make it again."""

    step: int
    precision: str
    bundle: ModelBundle
    optimizer: torch.optim.Optimizer | None
    micro_batches: tuple[RecordedMicroBatch, ...]
    totals: TargetCounts
    processes: int

    def facts(self, micro: RecordedMicroBatch, precision: str) -> dict[str, Any]:
        """The facts from which the diagnosis examines one micro-batch."""

        def compute_loss(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
            set_rng_state(micro.rng_state, next(model.parameters()).device)
            return self._loss(model, batch, precision)

        return {"model": self.bundle.model, "compute_loss": compute_loss, "batch": micro.batch}

    def loss(self, micro: RecordedMicroBatch) -> float:
        """The loss of one micro-batch, in the precision and with the RNG state of the run."""
        model, buffers = self.bundle.model.train(), BufferSnapshot(self.bundle.model)
        copies = buffers.copy()
        set_rng_state(micro.rng_state, next(model.parameters()).device)
        loss = float(self._loss(model, clone_batch(micro.batch), self.precision).detach())
        buffers.restore(copies)
        return loss

    def first_nonfinite_module(self, micro: RecordedMicroBatch) -> str:
        """The first module that gets a non-finite value of the batch; "" if none does."""
        return first_nonfinite_module(self.bundle.model, lambda: self.loss(micro))

    def _loss(self, model: torch.nn.Module, batch: Batch, precision: str) -> torch.Tensor:
        counts = count(self.bundle, batch)
        run = convert_outputs_to_fp32(model.__call__) if precision in DTYPES else model
        device = next(model.parameters()).device.type
        with torch.autocast(device, dtype=DTYPES[precision]) if precision in DTYPES else nullcontext():
            output = run(**batch)
        weight = getattr(model.config, "ctc_weight", 0.0)
        return combine_terms(weighted_terms(output, counts, self.totals), output, weight) * self.processes
