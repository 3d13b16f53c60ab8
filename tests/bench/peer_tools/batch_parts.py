"""Inputs and targets of a batch apart, as a tool wants them that calls model and loss by itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import torch

from probes.facts.core.torch_ops import iter_leaves

LABELS = ("label", "target", "tgt")


def split_batch(model: torch.nn.Module, batch: Any, compute_loss: Callable[..., Any]) -> tuple[Any, Any]:
    """What forward reads and is no label, by key; then the rest."""
    read = _read_by_forward(model, batch, compute_loss)
    items = _items(batch)
    inputs = {key: value for key, value in items.items() if not _is_label(key) and _is_among(value, read)}
    if not inputs:  # it reads what was made of the batch
        inputs = {key: value for key, value in items.items() if not _is_label(key)}
        inputs = dict(list(inputs.items())[:-1]) if len(inputs) > 1 and len(inputs) == len(items) else inputs
    return inputs, {key: value for key, value in items.items() if key not in inputs}


def joined(batch: Any, inputs: Mapping[str, Any], targets: Mapping[str, Any] | None) -> Any:
    """A batch like the given one, of these parts."""
    parts = {**_items(batch), **inputs, **(targets or {})}
    if isinstance(batch, torch.Tensor):
        return parts["batch"]
    if isinstance(batch, Mapping):
        clone: Any = copy.copy(batch)
        clone.update(parts)
        return clone
    if isinstance(batch, list | tuple):
        values = list(parts.values())
        return batch._make(values) if hasattr(batch, "_make") else type(batch)(values)
    return replace(batch, **parts)


def _items(batch: Any) -> dict[str, Any]:
    if isinstance(batch, Mapping):
        return dict(batch)
    if isinstance(batch, list | tuple):
        names = getattr(batch, "_fields", range(len(batch)))
        return {str(name): value for name, value in zip(names, batch, strict=True)}
    return dict(vars(batch)) if is_dataclass(batch) else {"batch": batch}


def _is_label(key: str) -> bool:
    return any(word in key.lower() for word in LABELS)


def _is_among(value: Any, read: set[int]) -> bool:
    return any(leaf.data_ptr() in read for leaf in iter_leaves(value))


def _read_by_forward(model: torch.nn.Module, batch: Any, compute_loss: Callable[..., Any]) -> set[int]:
    """The memory of every tensor that the model is called with."""
    found: set[int] = set()

    def note(module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        found.update(leaf.data_ptr() for leaf in iter_leaves([args, kwargs]))

    handle = model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        with torch.no_grad():
            compute_loss(model, batch)
    finally:
        handle.remove()
    return found
