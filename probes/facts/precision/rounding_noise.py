"""Measures how far rounding moves the loss: the float32 pass with random rounding errors on narrow results."""

from collections.abc import Mapping
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.nonfinite.graph_annotations import CodeLocation
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.traced_step import AutocastSetup, training_attempt
from probes.facts.precision.format_types import FloatFormat, Key
from probes.facts.precision.op_results import OpResults

TIMES = 3


class _RandomRounding(OpResults):
    """Multiplies what would be narrow by 1 + or - a rounding."""

    def __init__(self, calls: ModuleCallStack, types: Mapping[Key, torch.dtype], form: FloatFormat, seed: int) -> None:
        super().__init__(calls)
        self.types, self.form = types, form
        self.chance = torch.Generator().manual_seed(seed)  # the pass's own chance stays as it is

    def note(self, key: Key, place: CodeLocation, tensor: torch.Tensor, inputs: list[torch.Tensor], args: Any) -> None:
        if str(self.types.get(key)) == f"torch.{self.form.name}" and tensor.dtype is torch.float32:
            signs = torch.randint(0, 2, tensor.shape, generator=self.chance).to(tensor.device) * 2 - 1
            tensor.mul_(1 + signs * self.form.rounding)


def measure_rounding_noise(
    subject: AutocastSetup,
    batch: Any,
    types: Mapping[Key, torch.dtype],
    form: FloatFormat,
    loss: float,
    times: int = TIMES,
) -> float:
    """Root of the mean square of how far the loss moved."""
    moved = [_loss(subject, batch, types, form, seed) - loss for seed in range(times)]
    return float((sum(one * one for one in moved) / len(moved)) ** 0.5)


def _loss(subject: AutocastSetup, batch: Any, types: Mapping[Key, torch.dtype], form: FloatFormat, seed: int) -> float:
    pass_counter.count_passes(pass_counter.FORWARD)
    calls = ModuleCallStack(subject.model)
    with training_attempt(subject), calls.followed(), _RandomRounding(calls, types, form, seed), torch.no_grad():
        return float(subject.compute_loss(subject.model, copy_batch(batch)))
