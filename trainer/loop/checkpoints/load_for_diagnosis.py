"""Load a checkpoint's weights and optimizer to diagnose it, not to resume it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from diagnose.common.errors import InputError
from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
from trainer.loop.checkpoints.checksums import DIGESTS, verify
from trainer.loop.checkpoints.resume import require_same_run
from trainer.loop.checkpoints.state_files import OPTIMIZER, explain_unreadable
from trainer.loop.hf_arguments import encoder_unfreezes_later

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import ModelBundle


def facts_at_checkpoint(resolved: Resolved, checkpoint: Path) -> dict[str, Any]:
    """The facts of a run at a checkpoint; with a new optimizer if the checkpoint has none."""
    from trainer.data.open_split import open_split
    from trainer.models.bundle import load_bundle

    reason = verify(checkpoint) if (checkpoint / DIGESTS).exists() or not checkpoint.is_dir() else None
    if reason:
        raise InputError(f"--checkpoint {checkpoint}: {reason}; pass a complete checkpoint, or the folder of a run")
    require_same_run(checkpoint, resolved.config)
    bundle = load_bundle(checkpoint, resolved.config)
    make_bit_exact(bundle)
    trainer, optimizer = trainer_with_optimizer(bundle, open_split(resolved.config, "train"))
    if (checkpoint / OPTIMIZER).is_file():
        with explain_unreadable(checkpoint / OPTIMIZER):
            optimizer.load_state_dict(torch.load(checkpoint / OPTIMIZER, weights_only=True, map_location="cpu"))
    return {"config": resolved, "model_bundle": bundle, "trainer": trainer}


def trainer_with_optimizer(bundle: ModelBundle, rows: Any) -> tuple[RunTrainer, torch.optim.Optimizer]:
    """The trainer of a run and its optimizer, with an encoder that is unfrozen later in it."""
    from trainer.loop.trainer import RunTrainer

    trainer = RunTrainer(bundle, rows, None)
    if encoder_unfreezes_later(bundle.config):
        bundle.train_encoder(True)
    optimizer = trainer.create_optimizer()
    if encoder_unfreezes_later(bundle.config):
        bundle.train_encoder(False)
    return trainer, optimizer


def optimizer_of(bundle: ModelBundle) -> torch.optim.Optimizer:
    """A new optimizer for a run."""
    return trainer_with_optimizer(bundle, [{}])[1]
