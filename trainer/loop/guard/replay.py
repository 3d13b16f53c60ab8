"""A recorded step, ready to be made once more: model, optimiser, micro-batches and random states as they were."""

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
from trainer.loop.guard.rng_state import Chances, rng_state_from_json, set_rng_state
from trainer.loop.guard.step_snapshot import BufferSnapshot, clone_batch
from trainer.loop.guard.tensor_json import unpack
from trainer.loop.loss import TargetCounts, combine_terms, count, weighted_terms

if TYPE_CHECKING:
    from trainer.models.bundle import Batch, ModelBundle

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


@dataclass(frozen=True)
class RecordedMicroBatch:
    """One of the step's micro-batches."""

    batch: Batch
    chances: Chances
    loss: float | None  # as it was recorded; None: the step had ended before
    files: tuple[str, ...]


@dataclass(frozen=True)
class RecordedStep:
    """The step, and what it needs."""

    step: int
    precision: str
    parts: ModelBundle
    optimizer: torch.optim.Optimizer | None
    micros: tuple[RecordedMicroBatch, ...]
    totals: TargetCounts
    processes: int

    def facts(self, micro: RecordedMicroBatch, precision: str) -> dict[str, Any]:
        """What the diagnosis needs to look at one micro-batch."""

        def compute_loss(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
            set_rng_state(micro.chances, next(model.parameters()).device)
            return self._loss(model, batch, precision)

        return {"model": self.parts.model, "compute_loss": compute_loss, "batch": micro.batch}

    def loss(self, micro: RecordedMicroBatch) -> float:
        """The loss of one micro-batch, in the precision and with the random states of the run."""
        model, buffers = self.parts.model.train(), BufferSnapshot(self.parts.model)
        kept = buffers.copy()
        set_rng_state(micro.chances, next(model.parameters()).device)
        loss = float(self._loss(model, clone_batch(micro.batch), self.precision).detach())
        buffers.put_back(kept)
        return loss

    def meets(self, micro: RecordedMicroBatch) -> str:
        """The first module that a bad value of the batch itself reaches."""
        return first_nonfinite_module(self.parts.model, lambda: self.loss(micro))

    def _loss(self, model: torch.nn.Module, batch: Batch, precision: str) -> torch.Tensor:
        own = count(self.parts, batch)
        run = convert_outputs_to_fp32(model.__call__) if precision in DTYPES else model
        device = next(model.parameters()).device.type
        with torch.autocast(device, dtype=DTYPES[precision]) if precision in DTYPES else nullcontext():
            output = run(**batch)
        weight = getattr(model.config, "ctc_weight", 0.0)
        return combine_terms(weighted_terms(output, own, self.totals), output, weight) * self.processes


def open_recording(folder: Path) -> RecordedStep:
    """What `record` left; one that is not whole is refused."""
    reason = verify(folder)
    if reason:
        raise InputError(f"{folder}: {reason}; name a whole recording (recordings/step-<number> in a run's folder)")
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8")) if (folder / FACTS).is_file() else {}
    if facts.get("format") != FORMAT:
        raise InputError(f"{folder} is no recording of this version; name recordings/step-<number> in a run's folder")
    torch.set_num_threads(facts["threads"])  # sums over threads round by their number
    parts = _parts(folder, facts)
    return RecordedStep(
        step=facts["step"],
        precision=facts["precision"],
        parts=parts,
        optimizer=_optimizer(folder, facts, parts),
        micros=tuple(_micros(folder, facts)),
        totals=TargetCounts(*facts["totals"]),
        processes=facts["processes"],
    )


def _micros(folder: Path, facts: dict[str, Any]) -> list[RecordedMicroBatch]:
    tensors = load_file(folder / BATCHES)
    losses = [float.fromhex(text) for text in facts["losses"]]
    made = zip(facts["batches"], facts["chances"], facts["rows"], strict=False)  # a step may end before its last one
    return [
        RecordedMicroBatch(
            batch=unpack(batch, tensors),
            chances=rng_state_from_json(states),
            loss=losses[number] if number < len(losses) else None,
            files=tuple(row.get("file") or f"item {row['index']} of the training set" for row in rows),
        )
        for number, (batch, states, rows) in enumerate(made)
    ]


def _parts(folder: Path, facts: dict[str, Any]) -> ModelBundle:
    from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
    from trainer.models.bundle import load_parts

    parts = load_parts(folder)
    make_bit_exact(parts)
    buffers = dict(parts.model.named_buffers())
    with torch.no_grad():
        for name, value in load_file(folder / BUFFERS).items():
            buffers[name].copy_(value)
    if facts["ctc_only"]:
        parts.model.ctc_only = True
    return parts


def _optimizer(folder: Path, facts: dict[str, Any], parts: ModelBundle) -> torch.optim.Optimizer | None:
    """None where it was too large to be recorded; then no update is tried."""
    optimizer = optimizer_of(parts)
    for name, parameter in parts.model.named_parameters():
        parameter.requires_grad_(name not in facts["frozen"])
    if facts["optimizer"] is None:
        return None
    optimizer.load_state_dict(unpack(facts["optimizer"], load_file(folder / OPTIMIZER)))
    return optimizer
