"""Loads a recorded step from its folder; refuses one that is not complete, or holds something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file

from diagnose.common.errors import InputError, short_error
from trainer.loop.checkpoints.checksums import verify
from trainer.loop.checkpoints.load_for_diagnosis import optimizer_of
from trainer.loop.guard.recording import BATCHES, BUFFERS, FACTS, FORMAT, OPTIMIZER
from trainer.loop.guard.rng_state import rng_state_from_json
from trainer.loop.guard.tensor_json import unpack
from trainer.loop.loss import TargetCounts

if TYPE_CHECKING:
    from trainer.models.bundle import ModelBundle


from trainer.loop.guard.replay import RecordedMicroBatch, RecordedStep


def open_recording(folder: Path) -> RecordedStep:
    """Load what `record` wrote; refuses a recording that is not whole."""
    reason = verify(folder)
    if reason:
        raise InputError(f"{folder}: {reason}; pass a complete recording (recordings/step-<number> in a run's folder)")
    try:
        return _opened(folder)
    except InputError:
        raise
    except Exception as error:  # its digests fit, and what they stand for is no recorded step
        reason = short_error(error).splitlines()[0]
        raise InputError(f"{folder}: it holds no recorded step ({reason}); pass a complete recording") from error


def _opened(folder: Path) -> RecordedStep:
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
        micro_batches=_micro_batches(folder, facts),
        totals=TargetCounts(*facts["totals"]),
        processes=facts["processes"],
    )


def _micro_batches(folder: Path, facts: dict[str, Any]) -> tuple[RecordedMicroBatch, ...]:
    if not facts["batches"]:
        raise InputError(f"{folder / FACTS}: it lists no batch, expected at least one; pass a complete recording")
    tensors = load_file(folder / BATCHES)
    losses = [float.fromhex(text) for text in facts["losses"]]
    made = zip(facts["batches"], facts["chances"], facts["rows"], strict=False)  # a step may end before its last one
    return tuple(
        RecordedMicroBatch(
            batch=unpack(batch, tensors),
            rng_state=rng_state_from_json(states),
            loss=losses[number] if number < len(losses) else None,
            files=tuple(row.get("file") or f"item {row['index']} of the training set" for row in rows),
        )
        for number, (batch, states, rows) in enumerate(made)
    )


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
