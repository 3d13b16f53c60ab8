"""Models for pictures: drawn shapes are told apart, outlined, and matched with captions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import torch
import transformers as hf
from PIL import Image, ImageDraw
from torch.optim import SGD, AdamW
from torch.utils.data import DataLoader

from tests.zoo.hf_models._texts import byte_pieces
from tests.zoo.registry import Facts, setup

SIDE = 32
SHAPES = ("circle", "square", "triangle")
COLORS = {"red": (220, 40, 40), "green": (40, 180, 60), "blue": (50, 70, 220), "yellow": (230, 220, 50)}
PLACES = ("left", "right", "top", "bottom", "middle", "corner")
CENTERS = ((10, 16), (21, 16), (16, 10), (16, 21), (16, 16), (9, 9))


def picture(shape: str, color: str, place: str, grain: int = 0) -> Image.Image:
    """One shape on a grey ground with a little grain."""
    ground = np.random.default_rng(grain).integers(100, 140, (SIDE, SIDE, 3), dtype=np.uint8)
    image = Image.fromarray(ground)
    x, y = CENTERS[PLACES.index(place)]
    box, pen = (x - 7, y - 7, x + 7, y + 7), ImageDraw.Draw(image)
    if shape == "triangle":
        pen.polygon([(x, y - 7), (x - 7, y + 7), (x + 7, y + 7)], fill=COLORS[color])
    else:
        (pen.ellipse if shape == "circle" else pen.rectangle)(box, fill=COLORS[color])
    return image


def pictures() -> list[tuple[str, str, str, Image.Image]]:
    """Every shape in every color at every place."""
    return [
        (*what, picture(*what, grain=number)) for number, what in enumerate(product(SHAPES, COLORS, PLACES))
    ]  # fmt: skip


def accuracy(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """The share of pictures that are right."""
    return {"accuracy": float((predictions.argmax(-1) == labels).mean())}


@setup
def vit_shapes() -> Facts:
    """ViT tells colors apart, with random flips, as in run_image_classification.py."""
    processor = hf.ViTImageProcessorPil(size={"height": SIDE, "width": SIDE})
    names = list(COLORS)
    rows = [{"image": image, "label": names.index(color)} for _, color, _, image in pictures()]

    def collate(items: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        values = processor([item["image"] for item in items], return_tensors="pt")["pixel_values"]
        flipped = torch.rand(len(values)) < 0.5
        values[flipped] = values[flipped].flip(-1)
        return {"pixel_values": values, "labels": torch.tensor([item["label"] for item in items])}

    sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
    labels = {"id2label": dict(enumerate(names)), "label2id": {name: n for n, name in enumerate(names)}}
    model = hf.ViTForImageClassification(hf.ViTConfig(**sizes, **labels, image_size=SIDE, patch_size=8))
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {
        "model": model,
        "train_dataset": rows,
        "collate": collate,
        "train_batches": DataLoader(rows, batch_size=12, shuffle=True, collate_fn=collate),
        "optimizer": optimizer,
        "scheduler": hf.get_cosine_schedule_with_warmup(optimizer, 5, 150),
        "compute_metrics": accuracy,
    }


@setup(short=True)
def resnet_shapes() -> Facts:
    """ResNet with batch norm and SGD with momentum."""
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    rows = []
    for shape, _, _, image in pictures():
        values = (torch.tensor(np.array(image)) / 255 - mean) / std
        rows.append({"pixel_values": values.permute(2, 0, 1), "labels": SHAPES.index(shape)})
    sizes = {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "layer_type": "basic"}
    model = hf.ResNetForImageClassification(hf.ResNetConfig(**sizes, num_labels=len(SHAPES)))
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    return {"model": model, "train_batches": DataLoader(rows, batch_size=12, shuffle=True), "optimizer": optimizer}


@setup
def segformer_outlines() -> Facts:
    """SegFormer labels each pixel; the border of the picture is not scored."""
    processor = hf.SegformerImageProcessorPil(size={"height": SIDE, "width": SIDE}, do_reduce_labels=False)
    rows = []
    for shape, color, place, image in pictures():
        bare = np.array(image) == np.array(COLORS[color], dtype=np.uint8)
        target = np.where(bare.all(-1), 1 + SHAPES.index(shape), 0).astype(np.uint8)
        target[:, [0, -1]] = target[[0, -1], :] = 255
        rows.append((image, Image.fromarray(target), place))

    def collate(items: list[tuple[Image.Image, Image.Image, str]]) -> dict[str, torch.Tensor]:
        return processor([image for image, _, _ in items], [target for _, target, _ in items], return_tensors="pt")

    stages = {"num_encoder_blocks": 2, "depths": [1, 1], "hidden_sizes": [16, 32], "num_attention_heads": [1, 2]}
    stages |= {"sr_ratios": [4, 2], "patch_sizes": [7, 3], "strides": [2, 2], "mlp_ratios": [2, 2]}
    config = hf.SegformerConfig(**stages, decoder_hidden_size=32, num_labels=4, semantic_loss_ignore_index=255)
    model = hf.SegformerForSemanticSegmentation(config)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=2e-3)}


@setup
def clip_captions() -> Facts:
    """CLIP matches pictures with captions, each batch against itself, as run_clip.py does."""
    rows = [(image, f"a {color} {shape} at the {place}") for shape, color, place, image in pictures()]
    specials = ("<|startoftext|>", "<|endoftext|>")
    vocabulary, merges = _words([caption for _, caption in rows], specials)
    tokenizer = hf.CLIPTokenizer(vocabulary, merges)
    processor = hf.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    sizes = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
    ids = {"vocab_size": len(tokenizer), "bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = hf.CLIPConfig(
        text_config={**sizes, **ids, "pad_token_id": tokenizer.pad_token_id, "max_position_embeddings": 32},
        vision_config={**sizes, "image_size": SIDE, "patch_size": 8},
        projection_dim=32,
    )
    model = hf.CLIPModel(config)

    def collate(items: list[tuple[Image.Image, str]]) -> dict[str, Any]:
        texts = tokenizer([caption for _, caption in items], padding=True, return_tensors="pt")
        return {
            "pixel_values": processor([image for image, _ in items], return_tensors="pt")["pixel_values"],
            "input_ids": texts["input_ids"],
            "attention_mask": texts["attention_mask"],
            "return_loss": True,
        }

    batches = DataLoader(rows, batch_size=12, shuffle=True, collate_fn=collate, drop_last=True)
    optimizer = AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    return {"model": model, "tokenizer": tokenizer, "train_batches": batches, "optimizer": optimizer}


def _words(captions: list[str], specials: tuple[str, ...]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Pieces for CLIP, whose words end with </w>."""
    vocabulary, _ = byte_pieces((), specials)
    letters = [token for token in vocabulary if token not in specials]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), *specials]
    merges: list[tuple[str, str]] = []
    for word in sorted({word for caption in captions for word in caption.split()}):
        parts = [*word[:-1], f"{word[-1]}</w>"]
        while len(parts) > 1:
            pair, parts = (parts[0], parts[1]), [parts[0] + parts[1], *parts[2:]]
            if pair not in merges:
                merges.append(pair)
                tokens.append(parts[0])
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}, merges
