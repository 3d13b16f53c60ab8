"""The float inputs of a batch, row by row, without their padding."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.step_setup import LABELS
from probes.facts.features.types import FeatureRow, Features

SAMPLES = 400  # of one axis: one analysis window at 16 kHz; a table has fewer columns
NAMES = ("input_features", "input_values", "feats", "features", "inputs", "pixel_values", "x")


def inputs_of_batch(batch: Any) -> tuple[str, torch.Tensor]:
    """By name, or the only float inputs there are; of a pair, the first."""
    if isinstance(batch, Mapping):
        floats = [str(name) for name, value in batch.items() if _is_features(value)]
        alone = [name for name in floats if name not in LABELS and "mask" not in name]
        for name in (*NAMES, *(alone if len(alone) == 1 else ())):
            if name in floats:
                return name, batch[name]
        raise NotApplicable(f"the batches have no float inputs under a known key ({', '.join(NAMES)}): pass inputs_of")
    if isinstance(batch, list | tuple) and batch and _is_features(batch[0]):
        return "inputs", batch[0]
    raise NotApplicable("the batches have no float inputs: pass inputs_of")


def _is_features(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dim() >= 2 and value.numel() > 0


def features_of(batches: Sequence[Any], inputs_of: Any = None) -> Features:
    rows: list[FeatureRow] = []
    key, width = "inputs", 1
    for batch in batches:
        key, values = ("inputs", inputs_of(batch)) if inputs_of else inputs_of_batch(batch)
        if not _is_features(values):
            raise NotApplicable("inputs_of returns no float tensor with two or more dimensions")
        samples = values.dim() == 2 and (key == "input_values" or values.shape[1] >= SAMPLES)
        width = 1 if samples else int(values.shape[1 if key in _BANDS_FIRST else -1])
        rows += [_row(row) for row in _unpadded(batch, key, values)]
    return Features(key, width, tuple(rows))


_BANDS_FIRST = ("input_features", "pixel_values")


def _unpadded(batch: Any, key: str, values: torch.Tensor) -> Iterator[torch.Tensor]:
    lengths = _lengths(batch, values) if isinstance(batch, Mapping) and key not in _BANDS_FIRST else None
    for number, row in enumerate(values.detach().float().cpu()):
        yield row if lengths is None else row[: max(1, int(lengths[number]))]


def _lengths(batch: Mapping[str, Any], values: torch.Tensor) -> torch.Tensor | None:
    """From an attention mask over time, or from whole numbers whose largest is the length of the time axis."""
    mask = batch.get("attention_mask")
    if isinstance(mask, torch.Tensor) and mask.shape == values.shape[:2]:
        return mask.sum(1)
    for name, value in batch.items():
        lengths = "len" in name and isinstance(value, torch.Tensor) and value.shape == values.shape[:1]
        if lengths and not value.is_floating_point() and int(value.max()) == values.shape[1]:
            return torch.as_tensor(value)
    return None


def _row(row: torch.Tensor) -> FeatureRow:
    finite = torch.isfinite(row)
    bad = int((~finite).sum())
    good = row[finite] if bad else row.reshape(-1)
    if not good.numel():
        return FeatureRow(0.0, 0.0, bad)
    return FeatureRow(float(good.mean()), float(good.std(correction=0)), bad)


def first_layer(model: Any, width: int) -> str:
    """The class of the first module that holds parameters itself; of a norm over these features, wherever it stands."""
    modules = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    for module in modules:
        if getattr(module, "num_features", None) == width or getattr(module, "normalized_shape", None) == (width,):
            return type(module).__name__
    for module in modules:
        if next(module.parameters(recurse=False), None) is not None:
            return type(module).__name__
    return ""
