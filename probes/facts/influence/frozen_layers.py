"""Frozen layers with initial weights, as torch or the model's library draws them, in between layers that train."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.influence.initial_weights import has_initial_weights
from probes.facts.influence.types import FrozenLayer

KINDS = (nn.Linear, nn.modules.conv._ConvNd)


def find_frozen_layers(model: nn.Module) -> tuple[FrozenLayer, ...]:
    """Layers alone in being frozen: a frozen part of several layers, such as a teacher, is frozen on purpose."""
    return tuple(
        FrozenLayer(name, type(layer).__name__, sum(weight.numel() for weight in layer.parameters()))
        for name, layer in model.named_modules()
        if name and isinstance(layer, KINDS) and _is_frozen(layer) and _is_odd(model, name, layer)
    )


def reached(setup: StepSetup, batch: Any, layers: tuple[FrozenLayer, ...]) -> tuple[FrozenLayer, ...]:
    """Those that the loss depends on: a pooler that nobody reads may as well be frozen."""
    weights = [setup.model.get_parameter(f"{layer.module}.weight") for layer in layers]
    with restore_afterwards(setup.model, others=setup.also_restore), torch.enable_grad():
        for weight in weights:
            weight.requires_grad_(True)
        pass_counter.count_passes()
        try:
            loss = setup.compute_loss(setup.model, copy_batch(batch))
        except Exception:  # other probes tell it
            return layers
        gradients = torch.autograd.grad(loss, weights, allow_unused=True)
    return tuple(layer for layer, gradient in zip(layers, gradients, strict=True) if gradient is not None)


def _is_odd(model: nn.Module, name: str, layer: nn.Module) -> bool:
    others = _weights_around(model, name, layer)
    if not any(_is_matrix(weight) for weight in others):
        return False
    adapter = any(one.dim() > 1 and len(one) > 1 and not bool(one.any()) for one in others)  # LoRA's second matrix
    return not adapter and has_initial_weights(layer, deviations(model, name, layer)) and not _is_copy(layer, others)


def _weights_around(model: nn.Module, name: str, layer: nn.Module) -> list[nn.Parameter]:
    """What trains in the smallest part that holds other matrices; nothing, where the layer is not frozen alone."""
    own = {id(weight) for weight in layer.parameters()}  # a tied layer has them under another name as well
    for part in _ancestors(model, name):
        frozen = [child for child in part.children() if _is_frozen(child)]
        if any(id(weight) not in own for child in frozen for weight in child.parameters()):
            return []
        if any(_is_matrix(weight) and id(weight) not in own for weight in part.parameters()):
            return [weight for weight in part.parameters() if weight.requires_grad]
    return []


def deviations(model: nn.Module, name: str, layer: nn.Module) -> tuple[float, ...]:
    """Of the normal laws that a transformers model draws its weights from, by the configurations around the layer."""
    found: dict[str, float] = {}
    for part in _ancestors(model, name):
        config = getattr(part, "config", None)
        for key in ("initializer_range", "init_std", "initializer_factor"):
            value = getattr(config, key, None)
            if isinstance(value, int | float) and value > 0:
                found.setdefault(key, float(value))
    factor = found.pop("initializer_factor", 0.0)  # T5 and CLIP: of 1 for tables, of 1 / sqrt(fan_in) for layers
    scaled = (factor, factor * _weight(layer)[0].numel() ** -0.5) if factor else ()
    return (*found.values(), *scaled)


def _ancestors(model: nn.Module, name: str) -> Iterator[nn.Module]:
    while name:
        name = name.rpartition(".")[0]
        yield model.get_submodule(name)


def _is_frozen(part: nn.Module) -> bool:
    weights = list(part.parameters())
    return bool(weights) and not any(weight.requires_grad for weight in weights)


def _weight(layer: nn.Module) -> torch.Tensor:
    return layer.get_parameter("weight")


def _is_matrix(weight: torch.Tensor) -> bool:
    return weight.dim() > 1


def _is_copy(layer: nn.Module, others: list[nn.Parameter]) -> bool:
    """A frozen copy of what trains is a target network or an average."""
    return any(_weight(layer).shape == other.shape and torch.equal(_weight(layer), other) for other in others)
