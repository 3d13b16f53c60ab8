"""Batches and optimizer states as safetensors for the tensors and JSON for everything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

TENSOR, PAIRS, TUPLE = "tensor", "pairs", "tuple"  # what a dict in the JSON stands for


def pack(value: Any, tensors: dict[str, Tensor], name: str = "0") -> Any:
    """The JSON of a value; its tensors are put into `tensors`, each under the path that leads to it."""
    if isinstance(value, Tensor):
        tensors[name] = value.detach().cpu().contiguous().clone()  # safetensors refuses memory that two share
        return {TENSOR: name}
    if isinstance(value, Mapping):
        return {PAIRS: [[key, pack(one, tensors, f"{name}.{key}")] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        items = [pack(one, tensors, f"{name}.{index}") for index, one in enumerate(value)]
        return {TUPLE: items} if isinstance(value, tuple) else items
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def unpack(plain: Any, tensors: Mapping[str, Tensor]) -> Any:
    """The reverse of `pack`: order, types and numbers of plain values and tensors are as they were."""
    if isinstance(plain, list):
        return [unpack(one, tensors) for one in plain]
    if not isinstance(plain, dict):
        return plain
    if TENSOR in plain:
        return tensors[plain[TENSOR]]
    if PAIRS in plain:
        return {key: unpack(one, tensors) for key, one in plain[PAIRS]}
    return tuple(unpack(one, tensors) for one in plain[TUPLE])
