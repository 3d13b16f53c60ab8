"""The shape of the official image scripts: classification from folders, MAE and SimMIM pretraining."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    Trainer,
    ViTConfig,
    ViTForImageClassification,
    ViTForMaskedImageModeling,
    ViTMAEConfig,
    ViTMAEForPreTraining,
)

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import arguments

SIDE, PATCH, CLASSES = 16, 4, 3
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "initializer_range": 0.1,
}
SQUARES = {"image_size": SIDE, "patch_size": PATCH}


def images(count: int) -> Dataset:
    """Stripes of one of three directions with noise, sorted by class as folders are; bytes as a JPEG has."""
    labels = sorted(number % CLASSES for number in range(count))
    lines = torch.arange(SIDE)
    grids = [lines[:, None].expand(SIDE, SIDE), lines[None].expand(SIDE, SIDE), lines[:, None] + lines[None]]
    pictures = []
    for label in labels:
        wave = 127 + 80 * torch.sin(grids[label] * 1.5 + torch.rand(()) * 6)
        picture = wave + 10 * torch.randn(3, SIDE, SIDE)
        pictures.append(picture.clamp(0, 255).to(torch.uint8).numpy())
    return Dataset.from_dict({"image": pictures, "label": labels})


def pixels(picture: Any) -> torch.Tensor:
    """Normalised, and mirrored at random."""
    values = plain_pixels(picture)
    return values.flip(-1) if torch.rand(()) < 0.5 else values


def plain_pixels(picture: Any) -> torch.Tensor:
    """Normalised."""
    return torch.tensor(np.asarray(picture), dtype=torch.float32) / 127.5 - 1


@setup
def image_classes_trainer() -> Facts:
    """run_image_classification: augmented when a row is read; the collator renames the label."""
    rows = images(90)
    split = [number for number in range(90) if number % 5], range(0, 90, 5)
    parts = rows.select(split[0]), rows.select(split[1])
    parts[0].set_transform(lambda batch: {**batch, "pixel_values": [pixels(one) for one in batch["image"]]})
    parts[1].set_transform(lambda batch: {**batch, "pixel_values": [plain_pixels(one) for one in batch["image"]]})

    def collate_fn(examples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        pixel_values = torch.stack([example["pixel_values"] for example in examples])
        return {"pixel_values": pixel_values, "labels": torch.tensor([example["label"] for example in examples])}

    def compute_metrics(p: Any) -> dict[str, float]:
        return {"accuracy": float((np.argmax(p.predictions, axis=1) == p.label_ids).mean())}

    model = ViTForImageClassification(ViTConfig(**SIZES, **SQUARES, num_labels=CLASSES))
    return _trainer(model, parts, collate_fn, compute_metrics)


@setup
def mae_trainer() -> Facts:
    """run_mae: the model hides three quarters of the squares at random, in evaluation too."""
    parts = images(72), images(12)
    for part in parts:
        part.set_transform(lambda batch: {**batch, "pixel_values": [pixels(one) for one in batch["image"]]})
    decoder = {f"decoder_{name}": value for name, value in SIZES.items() if name != "initializer_range"}
    model = ViTMAEForPreTraining(ViTMAEConfig(**SIZES, **SQUARES, **decoder, mask_ratio=0.5, norm_pix_loss=True))

    def collate_fn(examples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        return {"pixel_values": torch.stack([example["pixel_values"] for example in examples])}

    return _trainer(model, parts, collate_fn)


@setup
def simmim_trainer() -> Facts:
    """run_mim: the mask is drawn when a row is read."""
    parts = images(72), images(12)

    def preprocess(batch: Any) -> dict[str, Any]:
        squares = (SIDE // PATCH) ** 2
        masks = [(torch.randperm(squares) < squares * 0.6).long() for _ in batch["image"]]
        return {**batch, "pixel_values": [pixels(one) for one in batch["image"]], "mask": masks}

    for part in parts:
        part.set_transform(preprocess)

    def collate_fn(examples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        pixel_values = torch.stack([example["pixel_values"] for example in examples])
        mask = torch.stack([example["mask"] for example in examples])
        return {"pixel_values": pixel_values, "bool_masked_pos": mask}

    return _trainer(ViTForMaskedImageModeling(ViTConfig(**SIZES, **SQUARES, encoder_stride=PATCH)), parts, collate_fn)


def _trainer(model: Any, parts: Any, collator: Any, metric: Any = None) -> Facts:
    labels = {} if metric else {"label_names": ["pixel_values"]}
    trainer = Trainer(
        model=model,
        args=arguments(remove_unused_columns=False, **labels),
        train_dataset=parts[0],
        eval_dataset=parts[1],
        data_collator=collator,
        compute_metrics=metric,
    )
    return {"trainer": trainer}
