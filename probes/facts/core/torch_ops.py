"""Helpers for one torch operation: its inputs, its outputs, what it writes to."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from probes.facts.core.types import TensorSummary


def has_nan(tensor: torch.Tensor) -> bool:
    return bool(torch.isnan(tensor).any())


def is_mask(tensor: torch.Tensor) -> bool:
    """Whether all values are zero or -inf, as in an additive attention mask."""
    return not bool((torch.nan_to_num(tensor, nan=1.0, posinf=1.0, neginf=0.0) != 0).any())


def storage_key(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def numeric(tensor: Any) -> bool:
    dense = isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided and not tensor.is_meta
    return dense and (tensor.is_floating_point() or tensor.is_complex())


def values_of(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a sparse tensor, which share its memory; a dense one as it is."""
    if tensor.layout is torch.sparse_coo:
        return tensor._values()
    return tensor if tensor.layout is torch.strided else tensor.values()


def name_of(func: Any) -> str:
    return func._schema.name.rpartition("::")[2]


def writes(func: Any) -> bool:
    return func._schema.is_mutable


def written_tensors(func: Any, args: Any, kwargs: Any, output: Any) -> Iterator[torch.Tensor]:
    yield from iter_leaves(output)
    if writes(func):
        for number, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = args[number] if number < len(args) else kwargs.get(argument.name)
                yield from iter_leaves(value)


def iter_leaves(value: Any, kind: type = torch.Tensor) -> Iterator[Any]:
    """All of a kind in nested lists, tuples, dicts, batches and model outputs."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from iter_leaves(item, kind)


def map_leaves(value: Any, function: Callable[[Any], Any]) -> Any:
    """The same nesting with the function applied to all but lists, tuples and mappings, which become dicts."""
    if isinstance(value, Mapping):
        return {key: map_leaves(item, function) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return getattr(value, "_make", type(value))(map_leaves(item, function) for item in value)
    return function(value)


def describe(tensor: torch.Tensor, role: str) -> TensorSummary:
    """Shape, dtype, device, range of the finite elements (of a complex tensor: of magnitudes), shares of the others."""
    detached = tensor.detach()
    plain = detached.abs() if detached.is_complex() else detached
    numbers = plain.float() if plain.is_floating_point() else plain
    good = torch.isfinite(numbers) if numbers.is_floating_point() else None
    finite = numbers if good is None else numbers[good]
    low, high = (float(bound) for bound in torch.aminmax(finite)) if finite.numel() else (None, None)
    size = max(detached.numel(), 1)
    return TensorSummary(
        role=role,
        shape=tuple(detached.shape),
        dtype=str(detached.dtype).removeprefix("torch."),
        device=str(detached.device),
        minimum=low,
        maximum=high,
        nan=0.0 if good is None else float(torch.isnan(numbers).sum()) / size,
        infinite=0.0 if good is None else float(torch.isinf(numbers).sum()) / size,
    )
