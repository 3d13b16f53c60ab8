"""Finds loss and logits in a model's output, and calls a model with its batch."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import to_device
from probes.facts.core.step_setup import LabelsOf


class NoLoss(NotApplicable):
    """The model's output holds no loss, or the batch does not fit its forward: compute_loss has to be given."""


def loss_of_output(model: torch.nn.Module, batch: Any) -> torch.Tensor:
    """The default compute_loss: the loss in the model's own output."""
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    batch = to_device(batch, device)
    positional = list(batch) if isinstance(batch, list | tuple) else [] if isinstance(batch, Mapping) else [batch]
    named = dict(batch) if isinstance(batch, Mapping) else {}
    if positional and not _fits(model, positional):
        raise NoLoss(
            f"forward of {type(model).__name__} does not accept a batch of {len(positional)}: pass compute_loss"
        )
    if getattr(model.forward, "__name__", "") == "_forward_unimplemented":
        raise NoLoss(f"{type(model).__name__} has no forward method: pass compute_loss")
    output = model(*positional, **named)
    loss = next(_losses(output), None)
    if loss is None:
        raise NoLoss(f"the output of {type(model).__name__} has no loss: pass compute_loss")
    return loss


def _fits(model: torch.nn.Module, positional: list[Any]) -> bool:
    try:
        inspect.signature(model.forward).bind(*positional)
    except TypeError:
        return False
    return True


def _losses(output: Any) -> Iterator[torch.Tensor]:
    named = dict(entries(output))
    if isinstance(named.get("loss"), torch.Tensor):
        yield named["loss"]
    if isinstance(output, torch.Tensor | list | tuple):
        candidates = [output] if isinstance(output, torch.Tensor) else output
        yield from (value for value in candidates if isinstance(value, torch.Tensor) and not value.dim())


def entries(output: Any) -> Iterator[tuple[str, Any]]:
    """The output's values by name, whether it is a mapping or an object."""
    if isinstance(output, Mapping):
        yield from output.items()
    elif not isinstance(output, torch.Tensor | list | tuple) and hasattr(output, "__dict__"):
        yield from vars(output).items()


def logits_of(output: Any) -> torch.Tensor | None:
    """The scores over the classes: named so, or the first float tensor of two dimensions and more."""
    named = dict(entries(output)).get("logits")
    if isinstance(named, torch.Tensor):
        return named
    values = [output] if isinstance(output, torch.Tensor) else output if isinstance(output, list | tuple) else []
    return next((v for v in values if isinstance(v, torch.Tensor) and v.is_floating_point() and v.dim() > 1), None)


def parts_of(output: Any) -> dict[str, float]:
    """Further losses that the output names: att_loss, ctc_loss and the like."""
    return {
        name: float(value.detach())
        for name, value in entries(output)
        if "loss" in name and name != "loss" and isinstance(value, torch.Tensor) and value.numel() == 1
    }


def labels_or_none(labels_of: LabelsOf, batch: Any) -> Any:
    """None where the batch does not hold what labels_of asks for."""
    try:
        return labels_of(batch)
    except (KeyError, AttributeError, IndexError, TypeError):
        return None
