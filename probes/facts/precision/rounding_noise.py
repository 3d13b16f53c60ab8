"""How far rounding alone moves the loss: the float32 pass again, each narrow result off by a rounding, at random."""

from collections.abc import Mapping
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copied
from probes.facts.nonfinite.graph_annotations import Place
from probes.facts.nonfinite.module_calls import Calls
from probes.facts.nonfinite.traced_step import Subject, attempt
from probes.facts.precision.op_results import Places
from probes.facts.precision.types import Format, Key

TIMES = 3


class _Rounding(Places):
    """Multiplies what would be narrow by 1 + or - a rounding."""

    def __init__(self, calls: Calls, types: Mapping[Key, torch.dtype], form: Format, seed: int) -> None:
        super().__init__(calls)
        self.types, self.form = types, form
        self.chance = torch.Generator().manual_seed(seed)  # the pass's own chance stays as it is

    def met(self, key: Key, place: Place, tensor: torch.Tensor, given: list[torch.Tensor], args: Any) -> None:
        if str(self.types.get(key)) == f"torch.{self.form.name}" and tensor.dtype is torch.float32:
            signs = torch.randint(0, 2, tensor.shape, generator=self.chance).to(tensor.device) * 2 - 1
            tensor.mul_(1 + signs * self.form.rounding)


def wobble(
    subject: Subject, batch: Any, types: Mapping[Key, torch.dtype], form: Format, loss: float, times: int = TIMES
) -> float:
    """Root of the mean square of how far the loss moved."""
    moved = [_loss(subject, batch, types, form, seed) - loss for seed in range(times)]
    return float((sum(one * one for one in moved) / len(moved)) ** 0.5)


def _loss(subject: Subject, batch: Any, types: Mapping[Key, torch.dtype], form: Format, seed: int) -> float:
    pass_counter.count(1 / 3)
    calls = Calls(subject.model)
    with attempt(subject), calls.followed(), _Rounding(calls, types, form, seed), torch.no_grad():
        return float(subject.compute_loss(subject.model, copied(batch)))
