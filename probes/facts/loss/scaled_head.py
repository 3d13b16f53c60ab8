"""Makes the weights of the head much larger and looks whether its scores grow with them on the way to the loss."""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple, Self

import torch

from probes.facts.loss.types import HeadBound, LossCall

SIZE = 30.0  # what the head's values are brought to: ten times where a sigmoid or tanh is flat
SCORES = ("cross_entropy", "cross_entropy_loss", "log_softmax", "binary_cross_entropy_with_logits")
ALONE = ("binary_cross_entropy_with_logits",)


class HeadOutput(NamedTuple):
    """A module with weights of its own, and what it put out, before any hook changed that."""

    name: str
    module: torch.nn.Module
    width: int
    size: int
    low: float
    high: float


class HeadHooks:
    """Remembers what ran last for each width, and the coarsest type that anything was computed in."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.last: dict[int, HeadOutput] = {}
        self.grain = 0.0
        self._model = model

    def before(self, heard: LossCall) -> HeadOutput | None:
        """The module whose values these scores are; a lone score for each row may have lost its axis."""
        lone = self.last.get(1)
        squeezed = heard.function in ALONE and lone is not None and lone.size == prod(heard.shapes[0])
        return lone if squeezed else self.last.get(heard.classes)

    def __enter__(self) -> Self:
        weighty = [(name, module) for name, module in self._model.named_modules() if _weight(module) is not None]
        self._handles = [module.register_forward_hook(self._looking(name)) for name, module in weighty]
        return self

    def __exit__(self, *error: Any) -> None:
        for handle in self._handles:
            handle.remove()

    def _looking(self, name: str) -> Any:
        """Whatever other hooks make of the output counts as done after the module."""

        def look(module: torch.nn.Module, given: Any, output: Any) -> None:
            weight = _weight(module)
            if isinstance(output, torch.Tensor) and output.numel() and weight is not None and weight.dim() > 1:
                raw = _before_hooks(module, given, output)
                ends = float(raw.min()), float(raw.max())
                self.last[output.shape[-1]] = HeadOutput(name, module, output.shape[-1], output.numel(), *ends)
                self.grain = max(self.grain, torch.finfo(output.dtype).eps if output.is_floating_point() else 0.0)

        return look


def scale_head(
    model: torch.nn.Module, heard: list[LossCall], heads: HeadHooks, run: Callable[[], list[LossCall]]
) -> HeadBound | None:
    """One more run with larger heads, whose weights are put back by whoever observes: the one whose scores grow least.

    None where there is no head.
    """
    scored = {ran.name: (one, ran) for one in heard if one.function in SCORES and (ran := _usable(heads.before(one)))}
    with torch.no_grad():
        for _, ran in scored.values():
            for parameter in ran.module.parameters(recurse=False):
                parameter.mul_(max(1.0, SIZE / max(abs(ran.low), abs(ran.high))))
    after = {(one.function, one.classes): one for one in run()} if scored else {}
    bounds = []
    for one, ran in scored.values():
        if then := after.get((one.function, one.classes)):
            raw = heads.last[ran.width]
            bounds.append(
                HeadBound(ran.name, type(ran.module).__name__, (raw.low, raw.high), (then.lowest, then.highest))
            )
    return min(
        bounds,
        key=lambda bound: (bound.scores[1] - bound.scores[0]) / ((bound.raw[1] - bound.raw[0]) or 1.0),
        default=None,
    )


def _usable(head: HeadOutput | None) -> HeadOutput | None:
    return head if head and 1e-6 < max(abs(head.low), abs(head.high)) < float("inf") else None


def _weight(module: torch.nn.Module) -> torch.Tensor | None:
    weight = getattr(module, "weight", None)
    return weight if isinstance(weight, torch.Tensor) and weight.is_floating_point() else None


def _before_hooks(module: torch.nn.Module, given: Any, output: torch.Tensor) -> torch.Tensor:
    """A linear layer can be asked again, which is cheap for the few rows of a trial."""
    if isinstance(module, torch.nn.Linear) and given and isinstance(given[0], torch.Tensor):
        with torch.no_grad():
            return torch.nn.functional.linear(given[0], module.weight, module.bias)
    return output.detach()
