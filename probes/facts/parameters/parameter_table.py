"""The model's parameters as a table, and where the optimiser holds them."""

from fnmatch import fnmatchcase
from typing import Any

import torch

from probes.facts.core.model_parts import holder_of, is_fixed_table
from probes.facts.parameters.types import ParameterRow, Parameters, TrainablePatterns

BIASES = ("bias", "in_proj_bias", "bias_k", "bias_v", "bias_ih", "bias_hh")


def parameters_of(model: torch.nn.Module, optimizer: Any = None) -> Parameters:
    """Tied parameters once. With an optimiser, each row says which of its groups hold it."""
    groups, held = _groups(optimizer), list(optimizer.param_groups if optimizer is not None else ())
    rows = []
    for name, parameter in model.named_parameters():
        module, numbers = holder_of(model, name), groups.pop(id(parameter), ())
        row = ParameterRow(
            name=name,
            module=type(module).__name__,
            shape=tuple(parameter.shape),
            size=parameter.numel(),
            dtype=str(parameter.dtype).removeprefix("torch."),
            device=str(parameter.device),
            trainable=parameter.requires_grad,
            groups=numbers,
            role=role_of(module, name, parameter),
            decay=max((float(held[number].get("weight_decay") or 0) for number in numbers), default=0.0),
            fixed=is_fixed_table(module, parameter),
        )
        rows.append(row)
    return Parameters(tuple(rows), foreign=len(groups))


def _groups(optimizer: Any) -> dict[int, tuple[int, ...]]:
    held: dict[int, tuple[int, ...]] = {}
    for number, group in enumerate(optimizer.param_groups if optimizer is not None else ()):
        for parameter in group["params"]:
            held[id(parameter)] = (*held.get(id(parameter), ()), number)
    return held


def role_of(module: torch.nn.Module, name: str, parameter: torch.Tensor) -> str:
    """By the kind of module: a linear layer that somebody calls `norm` is none."""
    if "norm" in type(module).__name__.lower() and parameter.dim() <= 1:
        return "norm"
    return "bias" if name.rpartition(".")[2].startswith(BIASES) and parameter.dim() <= 1 else ""


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    """A pattern names parameters, or a module and so all that it holds; a plain word names it wherever it stands."""
    for pattern in patterns:
        plain = not any(mark in pattern for mark in "*?[")
        ways = (pattern, f"{pattern}.*", *((f"*.{pattern}", f"*.{pattern}.*") if plain else ()))
        if any(fnmatchcase(name, way) for way in ways):
            return True
    return False


def match_patterns(parameters: Parameters, patterns: tuple[str, ...]) -> TrainablePatterns:
    """Compares what is meant to train with what does; tables that are fixed by design are passed over."""
    rows = [row for row in parameters.rows if not row.fixed]
    frozen = [row for row in rows if matches(row.name, patterns) and not row.trainable]
    unnamed = [row for row in rows if row.trainable and not matches(row.name, patterns)]
    return TrainablePatterns(
        patterns=patterns,
        unmatched=tuple(p for p in patterns if not any(matches(row.name, (p,)) for row in parameters.rows)),
        frozen=tuple(row.name for row in frozen),
        unrequested=tuple(row.name for row in unnamed),
        frozen_values=sum(row.size for row in frozen),
        unnamed_values=sum(row.size for row in unnamed),
    )
