"""Small models with all that feeds and reads them, for the tests of every architecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tests.support.small_runs import config, dataset
from trainer.config import Config
from trainer.models.bundle import ModelBundle, build

torch.set_num_threads(1)


def settings(architecture: str, model: dict[str, Any] | None = None, **training: Any) -> Config:
    """The configuration of a small model, with other values under `model`."""
    plain = config(architecture, Path("unused"), **training)
    return plain.model_copy(update={"model": plain.model.model_copy(update=model or {})})


def built(architecture: str, model: dict[str, Any] | None = None, **training: Any) -> ModelBundle:
    """The bundle of that configuration, in eval mode."""
    bundle = build(settings(architecture, model, **training), dataset(architecture, 4).texts())
    bundle.model.eval()
    return bundle


def collated(bundle: ModelBundle, architecture: str, rows: int = 4) -> dict[str, torch.Tensor]:
    """One batch of the first rows."""
    items = dataset(architecture, rows)
    return bundle.collate([items[index] for index in range(rows)])


def trainable(bundle: ModelBundle) -> set[str]:
    """The names of the parameters that are learnt."""
    return {name for name, parameter in bundle.model.named_parameters() if parameter.requires_grad}
