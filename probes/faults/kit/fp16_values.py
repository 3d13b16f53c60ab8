"""Values that float32 holds and fp16 does not, put into a healthy model that is to be trained in fp16."""

from collections.abc import Callable
from typing import Any

from diagnose import Fault
from probes.faults.kit.argument_changes import with_fp16
from probes.faults.kit.change_faults import Change, change_fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import hook_output, last_hook, loss_of
from probes.faults.kit.module_changes import first_linear

GPU = ("cpu", "cuda:0")
PLAIN = ("whisper", "hybrid", "classifier")  # the families of the other two are known to overflow, and are named so


def fp16_fault(description: str, probe_id: str, finite: bool = False) -> Callable[[Change], Fault]:
    """A fault whose function changes the output of a layer. `finite`: it is finite in fp16 too."""
    return change_fault(_with_output, description, probe_id, lambda facts: _is_present(facts, finite), PLAIN)


def _with_output(facts: Facts, change: Change) -> Facts:
    hook_output(first_linear(facts), change)
    return with_fp16(facts, *GPU)


def _is_present(facts: Facts, finite: bool) -> bool:
    """The change of plain values is finite in float32; in fp16 it is not, or raises."""
    change = last_hook(first_linear(facts))
    if facts.get("precision") != "fp16" or change is None:
        return False
    return _is_finite(change, "float32") and _is_finite(change, "float16") is finite


def _is_finite(change: Change, dtype: str) -> bool:
    import torch

    try:
        return bool(change(torch.linspace(-2.0, 2.0, 8, dtype=getattr(torch, dtype))).isfinite().all())
    except RuntimeError:
        return False


def scale_to(hidden: Any, size: float) -> Any:
    """Scaled so that the largest is of this size, and back."""
    factor = size / float(hidden.detach().float().abs().max())
    return (hidden * factor) / factor


class FixedScale:
    """A loss scale that does not move."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def get_scale(self) -> float:
        return self.scale


def with_scale(facts: Facts, scale: float) -> Facts:
    return {**with_fp16(facts, *GPU), "grad_scaler": FixedScale(scale)}


def has_scale(facts: Facts, scale: float) -> bool:
    return float(loss_of(facts).detach()) > 0 and getattr(facts.get("grad_scaler"), "scale", None) == scale
