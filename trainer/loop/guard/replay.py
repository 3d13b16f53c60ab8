"""Replay of a recorded step: its model, optimizer, micro-batches and RNG states."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import convert_outputs_to_fp32
from safetensors.torch import load_file

from diagnose.common.errors import InputError
from trainer.loop.checkpoints.checksums import verify
from trainer.loop.checkpoints.load_for_diagnosis import optimizer_of
from trainer.loop.guard.first_nonfinite_module import first_nonfinite_module
from trainer.loop.guard.recording import BATCHES, BUFFERS, FACTS, FORMAT, OPTIMIZER
from trainer.loop.guard.rng_state import RngState, rng_state_from_json, set_rng_state
from trainer.loop.guard.step_snapshot import BufferSnapshot, clone_batch
from trainer.loop.guard.tensor_json import unpack
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


def open_recording(folder: Path) -> RecordedStep:
    """Load what `record` wrote; refuses a recording that is not whole."""
    reason = verify(folder)
    if reason:
        raise InputError(f"{folder}: {reason}; pass a complete recording (recordings/step-<number> in a run's folder)")
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8")) if (folder / FACTS).is_file() else {}
    if facts.get("format") != FORMAT:
        raise InputError(
            f"{folder} is not a recording of this version; pass recordings/step-<number> in a run's folder"
        )
    torch.set_num_threads(facts["threads"])  # sums over threads round by their number
    bundle = _bundle(folder, facts)
    return RecordedStep(
        step=facts["step"],
        precision=facts["precision"],
        bundle=bundle,
        optimizer=_optimizer(folder, facts, bundle),
        micro_batches=tuple(_micro_batches(folder, facts)),
        totals=TargetCounts(*facts["totals"]),
        processes=facts["processes"],
    )


def _micro_batches(folder: Path, facts: dict[str, Any]) -> list[RecordedMicroBatch]:
    tensors = load_file(folder / BATCHES)
    losses = [float.fromhex(text) for text in facts["losses"]]
    made = zip(facts["batches"], facts["chances"], facts["rows"], strict=False)  # a step may end before its last one
    return [
        RecordedMicroBatch(
            batch=unpack(batch, tensors),
            rng_state=rng_state_from_json(states),
            loss=losses[number] if number < len(losses) else None,
            files=tuple(row.get("file") or f"item {row['index']} of the training set" for row in rows),
        )
        for number, (batch, states, rows) in enumerate(made)
    ]


def _bundle(folder: Path, facts: dict[str, Any]) -> ModelBundle:
    from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
    from trainer.models.bundle import load_bundle

    bundle = load_bundle(folder)
    make_bit_exact(bundle)
    buffers = dict(bundle.model.named_buffers())
    with torch.no_grad():
        for name, value in load_file(folder / BUFFERS).items():
            buffers[name].copy_(value)
    if facts["ctc_only"]:
        bundle.model.ctc_only = True
    return bundle


def _optimizer(folder: Path, facts: dict[str, Any], bundle: ModelBundle) -> torch.optim.Optimizer | None:
    """The optimizer before the step; None if it was too large to be recorded."""
    optimizer = optimizer_of(bundle)
    for name, parameter in bundle.model.named_parameters():
        parameter.requires_grad_(name not in facts["frozen"])
    if facts["optimizer"] is None:
        return None
    optimizer.load_state_dict(unpack(facts["optimizer"], load_file(folder / OPTIMIZER)))
    return optimizer
