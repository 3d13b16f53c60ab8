"""Frozen layers with initial weights, as torch or the model's library draws them, in between layers that train."""

from collections.abc import Iterator

import torch
from torch import nn

from probes.facts.influence.types import FrozenLayer

FEWEST = 64  # values from which a law can be told
ERRORS = 5  # standard errors of a mean of squares
KINDS = (nn.Linear, nn.modules.conv._ConvNd)


def find_frozen_layers(model: nn.Module) -> tuple[FrozenLayer, ...]:
    """Layers alone in being frozen: a frozen part of several layers, such as a teacher, is frozen on purpose."""
    return tuple(
        FrozenLayer(f"{name}.{child}".lstrip("."), type(layer).__name__, sum(p.numel() for p in layer.parameters()))
        for name, parent in model.named_modules()
        for child, layer in _alone(parent, _deviation(model))
    )


def _deviation(model: nn.Module) -> float:
    """Of the normal law that a transformers model draws its initial weights from; 0 where it says none."""
    config = getattr(model, "config", None)
    found = [getattr(config, name, None) for name in ("initializer_range", "init_std")]
    return next((float(value) for value in found if isinstance(value, int | float)), 0.0)


def _alone(parent: nn.Module, deviation: float) -> Iterator[tuple[str, nn.Module]]:
    children = [(name, child) for name, child in parent.named_children() if any(True for _ in child.parameters())]
    frozen = [pair for pair in children if not any(weight.requires_grad for weight in pair[1].parameters())]
    others = [weight for name, child in children for weight in child.parameters() if weight.requires_grad]
    trains = any(weight.dim() > 1 for weight in others)
    adapter = any(
        weight.dim() > 1 and not bool(weight.any()) for weight in others
    )  # a second matrix of zeros, as in LoRA
    if len(frozen) == 1 and trains and not adapter and isinstance(frozen[0][1], KINDS):
        name, layer = frozen[0]
        if has_initial_weights(layer, deviation) and not _is_copy(layer, parent):
            yield name, layer


def has_initial_weights(layer: nn.Module, deviation: float = 0.0) -> bool:
    """Whether weight and bias look as torch draws both, or as transformers does with this deviation."""
    weight, bias = layer.weight, getattr(layer, "bias", None)
    if not isinstance(weight, torch.Tensor) or weight.is_meta or weight.numel() < FEWEST:
        return False
    values = weight.detach().double().flatten()
    return _is_uniform(values, bias, weight[0].numel() ** -0.5) or _is_normal(values, bias, deviation)


def _is_uniform(values: torch.Tensor, bias: torch.Tensor | None, bound: float) -> bool:
    """Uniform between -1/sqrt(fan_in) and 1/sqrt(fan_in), weight and bias: torch's default."""
    inside = float(values.abs().max()) <= bound * (1 + 1e-6)
    drawn = bias is None or (bool(bias.any()) and float(bias.detach().abs().max()) <= bound * (1 + 1e-6))
    # the mean square of a uniform law is 1/3, with a variance of 4/45 for each value
    return inside and drawn and _near(values / bound, 1 / 3, 4 / 45)


def _is_normal(values: torch.Tensor, bias: torch.Tensor | None, deviation: float) -> bool:
    """Normal with a bias of zeros: the default of transformers. The mean square is 1, its variance 2 for each value."""
    untrained = bias is None or not bool(bias.any())
    return untrained and deviation > 0 and _near(values / deviation, 1.0, 2.0)


def _near(values: torch.Tensor, mean_square: float, variance: float) -> bool:
    return abs(float(values.square().mean()) - mean_square) < ERRORS * (variance / len(values)) ** 0.5


def _is_copy(layer: nn.Module, parent: nn.Module) -> bool:
    """A frozen copy of what trains is a target network or an average."""
    others = [weight for weight in parent.parameters() if weight.requires_grad]
    return any(one.shape == other.shape and torch.equal(one, other) for one in layer.parameters() for other in others)
