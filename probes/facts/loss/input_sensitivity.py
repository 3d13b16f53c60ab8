"""Compares the inputs and outputs of every module between two passes: where is a change of the input lost?"""

from collections.abc import Sequence
from typing import Any

import torch

from probes.facts.core.hooks import ModuleCall
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.loss.types import LossTrials

STILL = 1e-5  # of an input's spread: no more than rounding
LOST = 1e-3  # of the change of its input: what normalises or attends passes on more
FURTHER = 0.1  # a later or an outer module is blamed only where it loses far more


def module_losing_signal(first: Sequence[ModuleCall], second: Sequence[ModuleCall]) -> str:
    """The module whose output changes least for its change of input; "" if all pass it on."""
    least, found = LOST, ""
    for one, other in zip(first, second, strict=False):
        difference, spread = _difference(one.inputs, other.inputs)
        if one.name and difference > STILL * spread and one.outputs:
            passed = _difference(one.outputs, other.outputs)[0] / difference
            if passed < (least * FURTHER if found else least):
                least, found = passed, f"{one.name} ({one.kind})"
    return found


def copies_of(value: Any) -> list[torch.Tensor]:
    """Of all tensors: a module may change them in place later."""
    return [tensor.detach().clone() for tensor in iter_leaves(value) if tensor.numel()]


def _difference(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> tuple[float, float]:
    """The largest difference of any tensor, and the spread of that tensor; of whole numbers, whether they differ."""
    found = [(0.0, 0.0)]
    for a, b in zip(one, other, strict=False):
        if a.shape == b.shape and a.is_floating_point():
            found.append((float((a.double() - b.double()).abs().max()), float(a.double().std(correction=0))))
        elif a.shape == b.shape:
            found.append((float((a != b).any()), 0.0))
    return max(found)


def ignores_labels(trials: LossTrials) -> bool:
    """Other labels hardly change the loss."""
    return trials.other_labels is not None and abs(trials.other_labels - trials.value) < 1e-5 * abs(trials.value)


def hardly_changes(trials: LossTrials) -> bool:
    """Something that should have moved the loss hardly did."""
    return ignores_labels(trials) or (trials.logit_change is not None and trials.logit_change < 1e-4)


def larger(one: float | None, other: float | None) -> float | None:
    """None where both are."""
    return max((value for value in (one, other) if value is not None), default=None)
