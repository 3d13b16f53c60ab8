"""What a run left, taken up to be looked at and not to go on: a trainer over a checkpoint's weights and optimiser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from diagnose.common.errors import InputError
from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
from trainer.loop.checkpoints.checksums import DIGESTS, verify
from trainer.loop.checkpoints.resume import require_same_run
from trainer.loop.hf_arguments import encoder_unfreezes_later

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import ModelBundle

OPTIMIZER = "optimizer.pt"


def facts_at_checkpoint(resolved: Resolved, checkpoint: Path) -> dict[str, Any]:
    """The facts of a run at a checkpoint; without an optimiser in it, that of the beginning is looked at."""
    from trainer.data.dataset import open_split
    from trainer.models.bundle import load_parts

    reason = verify(checkpoint) if (checkpoint / DIGESTS).exists() or not checkpoint.is_dir() else None
    if reason:
        raise InputError(f"--checkpoint {checkpoint}: {reason}; name a whole checkpoint, or the folder of a run")
    require_same_run(checkpoint, resolved.config)
    parts = load_parts(checkpoint, resolved.config)
    make_bit_exact(parts)
    trainer = trainer_with_optimizer(parts, open_split(resolved.config, "train"))
    if (checkpoint / OPTIMIZER).is_file():
        trainer.optimizer.load_state_dict(torch.load(checkpoint / OPTIMIZER, weights_only=True, map_location="cpu"))
    return {"config": resolved, "model_bundle": parts, "trainer": trainer}


def trainer_with_optimizer(parts: ModelBundle, rows: Any) -> RunTrainer:
    """The trainer of a run with its optimiser; an encoder that thaws later is known to it from the start."""
    from trainer.loop.trainer import RunTrainer

    trainer = RunTrainer(parts, rows, None)
    if encoder_unfreezes_later(parts.config):
        parts.train_encoder(True)
    trainer.create_optimizer()
    if encoder_unfreezes_later(parts.config):
        parts.train_encoder(False)
    return trainer


def optimizer_of(parts: ModelBundle) -> torch.optim.Optimizer:
    """The optimiser of a run."""
    optimizer: torch.optim.Optimizer = trainer_with_optimizer(parts, [{}]).optimizer
    return optimizer
