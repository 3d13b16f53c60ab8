"""Scales the weights of the head up: do its scores grow as much on their way to the loss?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.hooks import ModuleHooks
from probes.facts.loss.loss_calls import SCORES
from probes.facts.loss.types import HeadBound, LossCall

SIZE = 30.0  # what the head's values are brought to: ten times where a sigmoid or tanh is flat
CONVOLUTIONS = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
NEAR = 0.1  # of the labels' spread: a value so far outside is nearly reached
ALONE = ("binary_cross_entropy_with_logits",)


class HeadOutput(NamedTuple):
    """A module with weights of its own, and the range of its output before any hook changed it."""

    name: str
    module: torch.nn.Module
    width: int
    size: int
    low: float
    high: float


Ends = tuple[tuple[float, float], tuple[float, float]]
Scored = dict[str, tuple[LossCall, HeadOutput]]


class HeadHooks(ModuleHooks):
    """Keeps the last output of each width, and the largest eps of the types that were computed in."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(model)
        self.last: dict[int, HeadOutput] = {}
        self.eps = 0.0

    def head_of(self, call: LossCall) -> HeadOutput | None:
        """The module whose values these scores are; a lone score for each row may have lost its axis."""
        lone, scores = self.last.get(1), prod(call.shapes[0])
        if call.function in ALONE and lone is not None and lone.size == scores:
            return lone
        head = self.last.get(call.classes)
        # a layer of the same width deep inside has other positions; a causal model scores all of them but the last
        return head if head is not None and scores <= head.size <= 2 * scores else None

    def handles(self) -> Iterator[RemovableHandle]:
        for name, module in self.model.named_modules():
            if _weight(module) is not None:
                yield module.register_forward_hook(partial(self._on_output, name))

    def _on_output(self, name: str, module: torch.nn.Module, args: Any, output: Any) -> None:
        """Whatever other hooks make of the output counts as done after the module."""
        weight = _weight(module)
        if isinstance(output, torch.Tensor) and output.numel() and weight is not None and weight.dim() > 1:
            raw = _before_hooks(module, args, output)
            ends = float(raw.min()), float(raw.max())
            width = output.shape[1 if isinstance(module, CONVOLUTIONS) and output.dim() > 2 else -1]
            self.last[width] = HeadOutput(name, module, width, output.numel(), *ends)
            self.eps = max(self.eps, torch.finfo(output.dtype).eps if output.is_floating_point() else 0.0)


def scale_head(calls: list[LossCall], heads: HeadHooks, run: Callable[[], list[LossCall]]) -> HeadBound | None:
    """Two more runs with larger heads: the one whose scores grow least; None if there is no head.

    The caller observes the model, so the weights are put back there.
    """
    judged = [one for one in calls if one.function in SCORES or one.regresses]
    scored = {head.name: (one, head) for one in judged if (head := _usable(heads.head_of(one)))}
    with torch.no_grad():
        for _, head in scored.values():
            for parameter in head.module.parameters(recurse=False):
                parameter.mul_(max(1.0, SIZE / max(abs(head.low), abs(head.high))))
    looks = [_looked(scored, heads, run, sign) for sign in (1.0, -1.0) if scored]
    bounds = []
    for one, head in scored.values():
        ends = [found for look in looks if (found := look.get(head.name))]
        if len(ends) == len(looks):
            raw, arrives = (_hull([pair[side] for pair in ends]) for side in (0, 1))
            bounds.append(HeadBound(head.name, type(head.module).__name__, raw, arrives, one.regresses))
    return min(
        bounds,
        key=lambda bound: (bound.scores[1] - bound.scores[0]) / ((bound.raw[1] - bound.raw[0]) or 1.0),
        default=None,
    )


def _looked(scored: Scored, heads: HeadHooks, run: Callable[[], list[LossCall]], sign: float) -> dict[str, Ends]:
    """By head, its values and what arrives at the loss, with its weights times the sign: a few rows may share one."""
    with torch.no_grad():
        for _, head in scored.values():
            for parameter in head.module.parameters(recurse=False):
                parameter.mul_(sign)
    after = {(one.function, one.classes): one for one in run()}
    return {
        head.name: ((heads.last[head.width].low, heads.last[head.width].high), (then.lowest, then.highest))
        for one, head in scored.values()
        if (then := after.get((one.function, one.classes)))
    }


def _hull(ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def with_unreachable(bound: HeadBound | None, labels: Any) -> HeadBound | None:
    """With the share of the labels that lie clearly outside of what arrives at the loss."""
    if bound is None or not bound.regresses:
        return bound
    low, high = bound.scores
    near = NEAR * float(labels.float().std(correction=0))
    return replace(bound, unreachable=float(((labels < low - near) | (labels > high + near)).float().mean()))


def _usable(head: HeadOutput | None) -> HeadOutput | None:
    return head if head and 1e-6 < max(abs(head.low), abs(head.high)) < float("inf") else None


def _weight(module: torch.nn.Module) -> torch.Tensor | None:
    weight = getattr(module, "weight", None)
    return weight if isinstance(weight, torch.Tensor) and weight.is_floating_point() else None


def _before_hooks(module: torch.nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
    """A linear layer is computed again, which is cheap for the few rows of a trial."""
    if isinstance(module, torch.nn.Linear) and args and isinstance(args[0], torch.Tensor):
        with torch.no_grad():
            return torch.nn.functional.linear(args[0], module.weight, module.bias)
    return output.detach()
