"""Reads every parameter once: finite, constant, how wide."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from probes.facts.core.finite import is_finite
from probes.facts.core.model_parts import holder_of
from probes.facts.core.tokens import table_of
from probes.facts.parameters.new_parameters import without_layer_index
from probes.facts.parameters.weight_types import MemoryOverlap, Weights, WeightStats, WeightTie

DENSE = (
    torch.nn.Linear,
    torch.nn.Bilinear,
    torch.nn.MultiheadAttention,
    torch.nn.RNNBase,
    torch.nn.modules.conv._ConvNd,
)
TRANSPOSED = ("Conv1D", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")  # weight is [in, out, …]


def weights_of(model: torch.nn.Module) -> Weights:
    """One row for each parameter that holds numbers here."""
    head = id(getattr(table_of(model, "get_output_embeddings"), "weight", None))
    rows = [
        _row(name, parameter, holder_of(model, name), head)
        for name, parameter in model.named_parameters()
        if parameter.is_floating_point() and not is_lazy(parameter) and not parameter.is_meta and parameter.numel()
    ]
    nan = (name for name, buffer in model.named_buffers() if _has_nan(buffer))
    return Weights(tuple(_with_sibling_std(rows)), tuple(nan))


def _has_nan(buffer: torch.Tensor) -> bool:
    """An infinite buffer is a mask; NaN is never meant."""
    return buffer.is_floating_point() and not buffer.is_meta and bool(torch.isnan(buffer).any())


def _row(name: str, parameter: torch.nn.Parameter, module: torch.nn.Module, head: int) -> WeightStats:
    values = parameter.detach()
    role = _role(parameter, module, head)
    row = WeightStats(name, type(module).__name__, tuple(values.shape), parameter.requires_grad, role, values.numel())
    if not is_finite(values):
        nan = int(torch.isnan(values).sum())
        return replace(row, nan=nan, infinite=int(torch.isinf(values).sum()))
    low, high = (float(value) for value in torch.aminmax(values))
    values = values.transpose(0, 1) if type(module).__name__ in TRANSPOSED and values.dim() > 1 else values
    std = float(torch.std(values.float(), correction=0)) if low != high else 0.0
    equal = role in ("dense", "head", "embedding") and min(values.shape[:2]) > 1 and _equal_rows(values)
    fan_in = values[0].numel() if values.dim() > 1 else 1
    return replace(row, lowest=low, highest=high, std=std, gain=std * fan_in**0.5, equal_rows=equal)


def _role(parameter: torch.Tensor, module: torch.nn.Module, head: int) -> str:
    """Dense: every output is made of every input, so that equal rows stay equal for ever."""
    if parameter.dim() < 2 or getattr(module, "groups", 1) != 1:
        return "other"
    if id(parameter) == head:
        return "head"
    if isinstance(module, torch.nn.Embedding):
        return "embedding"
    return "dense" if isinstance(module, DENSE) or type(module).__name__ in TRANSPOSED else "other"


def _equal_rows(values: torch.Tensor) -> bool:
    return torch.equal(values[0], values[1]) and bool((values == values[:1]).all())


def _with_sibling_std(rows: list[WeightStats]) -> Iterator[WeightStats]:
    """The same parameter of the other layers is what each is compared with."""
    layers: dict[tuple[str, tuple[int, ...]], list[WeightStats]] = {}
    for row in rows:
        if "*" in without_layer_index(row.name) and len(row.shape) > 1:
            layers.setdefault((without_layer_index(row.name), row.shape), []).append(row)
    for row in rows:
        others = [one.std for one in layers.get((without_layer_index(row.name), row.shape), ()) if one is not row]
        yield replace(row, sibling_std=median(others)) if others else row


def overlaps_of(model: torch.nn.Module) -> tuple[MemoryOverlap, ...]:
    """Pairs of different, contiguous parameters whose bytes are the same: views side by side in one storage are not."""
    spans = sorted(
        (one.data_ptr(), one.data_ptr() + one.numel() * one.element_size(), number, name, one.numel())
        for number, (name, one) in enumerate(model.named_parameters())
        if one.numel() and not is_lazy(one) and one.data_ptr() and one.is_contiguous()
    )
    return tuple(
        MemoryOverlap(before[3], after[3], min(before[4], after[4]))
        for before, after in pairwise(spans)
        if after[0] < before[1]
    )


def configured_ties(model: Any) -> tuple[WeightTie, ...]:
    """The pairs that a transformers model ties when it is built or loaded, as they are now."""
    config = getattr(model, "config", None)
    flags = [getattr(held, "tie_word_embeddings", None) for held in (config, getattr(config, "decoder", None))]
    found: list[WeightTie] = []
    if True not in flags:
        return ()
    for target, source in dict(getattr(model, "all_tied_weights_keys", None) or {}).items():
        try:
            one, other = model.get_parameter(target), model.get_parameter(source)
        except AttributeError:
            continue
        same = one is other or (one.data_ptr() == other.data_ptr() != 0)
        found.append(WeightTie(target, source, same, same or (one.shape == other.shape and torch.equal(one, other))))
    return tuple(found)
