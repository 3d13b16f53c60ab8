"""The model's parameters as a table, and where the optimiser holds them."""

from typing import Any

import torch

from probes.measured.parameters import ParameterRow, Parameters


def parameters_of(model: torch.nn.Module, optimizer: Any = None) -> Parameters:
    """Tied parameters once. With an optimiser, each row says which of its groups hold it."""
    groups = _groups(optimizer)
    rows = tuple(
        ParameterRow(
            name=name,
            module=type(model.get_submodule(name.rpartition(".")[0])).__name__,
            shape=tuple(parameter.shape),
            size=parameter.numel(),
            dtype=str(parameter.dtype).removeprefix("torch."),
            device=str(parameter.device),
            trainable=parameter.requires_grad,
            groups=groups.pop(id(parameter), ()),
        )
        for name, parameter in model.named_parameters()
    )
    return Parameters(rows, strangers=len(groups))


def _groups(optimizer: Any) -> dict[int, tuple[int, ...]]:
    held: dict[int, tuple[int, ...]] = {}
    for number, group in enumerate(optimizer.param_groups if optimizer is not None else ()):
        for parameter in group["params"]:
            held[id(parameter)] = (*held.get(id(parameter), ()), number)
    return held
