"""Reads the shape of a batch, and what the model's forward takes."""

import inspect
from collections.abc import Mapping
from typing import Any

import torch

from diagnose.tensor_values import tensor_values
from probes.facts.batches.types import BatchShape, BatchValues, LabelCounts
from probes.facts.core.batches import tensors_of
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.step_setup import LabelsOf

IGNORED = -100
MOST = 10  # label values that are counted
INSTEAD = ("inputs_embeds", "encoder_outputs", "input_features", "input_values", "input_ids", "pixel_values")


def form_of(model: torch.nn.Module, batch: Any, labels_of: LabelsOf) -> BatchShape:
    labels = labels_or_none(labels_of, batch)
    parts: list[tuple[Any, Any]] = list(batch.items()) if isinstance(batch, Mapping) else []
    if isinstance(batch, list | tuple):
        parts = [(f"part {number}", part) for number, part in enumerate(batch)]
    is_tensor = isinstance(labels, torch.Tensor)
    return BatchShape(
        keys=tuple(map(str, batch)) if isinstance(batch, Mapping) else (),
        labels=tuple(labels.shape) if is_tensor else () if labels is not None else None,
        kind=str(labels.dtype).removeprefix("torch.") if is_tensor else "",
        whole=is_tensor and _whole(labels),
        inputs=tuple(
            (str(name), tuple(x.shape)) for name, x in parts if isinstance(x, torch.Tensor) and x is not labels
        ),
        model=type(model).__name__,
        takes_labels="labels" in inspect.signature(model.forward).parameters,
        lacking=_lacking(model, batch) if isinstance(batch, Mapping) else (),
    )


def values_of(batch: Any, labels_of: LabelsOf) -> BatchValues:
    """Every tensor in numbers, under the name it has in the batch."""
    tensors = tuple(tensor_values(_plain(name), tensor) for name, tensor in tensors_of(batch))
    labels = labels_or_none(labels_of, batch)
    return BatchValues(tensors, _label_counts(labels) if isinstance(labels, torch.Tensor) and _whole(labels) else None)


def _label_counts(labels: torch.Tensor) -> LabelCounts:
    values, counts = labels[labels != IGNORED].unique(return_counts=True)
    pairs = sorted(zip(values.tolist(), counts.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
    scored = int(counts.sum())
    return LabelCounts(labels.numel(), scored, len(pairs), tuple((int(one), many) for one, many in pairs[:MOST]))


def _plain(name: str) -> str:
    """`labels` for `batch['labels']`."""
    inner = name.removeprefix("batch[").removesuffix("]")
    return inner.strip("'") if name.startswith("batch['") and "[" not in inner else name


def _whole(labels: torch.Tensor) -> bool:
    if labels.is_complex() or not labels.numel():
        return False
    return not labels.is_floating_point() or bool((labels == labels.round()).all())


def _lacking(model: torch.nn.Module, batch: Mapping[str, Any]) -> tuple[str, ...]:
    """Parameters without a default, and the main input of a transformers model, unless another stands for it."""
    parameters = inspect.signature(model.forward).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    main = getattr(model, "main_input_name", None)
    if isinstance(main, str) and not needed and not any(name in batch for name in (main, *INSTEAD)):
        needed = [_input_name(model, main)]
    return tuple(name for name in needed if name not in batch)


def _input_name(model: torch.nn.Module, main: str) -> str:
    """A model made of two calls its input `inputs`: its encoder knows the real name."""
    encoder = getattr(model, "encoder", None)
    return str(getattr(encoder, "main_input_name", main)) if main == "inputs" else main
