"""Makes the weights of the head much larger and looks whether its scores grow with them on the way to the loss."""

from collections.abc import Callable
from typing import Any, Self

import torch

from probes.measured.loss import Bound, Heard

SIZE = 30.0  # what the head's values are brought to: ten times where a sigmoid or tanh is flat
SCORES = ("cross_entropy", "cross_entropy_loss", "log_softmax", "binary_cross_entropy_with_logits")


class Heads:
    """Remembers, for each width, the last module with weights of its own that put out something so wide."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.last: dict[int, tuple[str, torch.nn.Module, float, float]] = {}
        self._model = model

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
                self.last[output.shape[-1]] = (name, module, float(raw.min()), float(raw.max()))

        return look


def nudged(model: torch.nn.Module, heard: list[Heard], heads: Heads, run: Callable[[], list[Heard]]) -> Bound | None:
    """One more run with a larger head; its weights are put back by whoever observes. None where there is no head."""
    scored = [one for one in heard if one.function in SCORES and one.classes in heads.last]
    if not scored:
        return None
    classes = scored[-1].classes
    name, module, low, high = heads.last[classes]
    size = max(abs(low), abs(high))
    if not 1e-6 < size < float("inf"):
        return None
    with torch.no_grad():
        for parameter in module.parameters(recurse=False):
            parameter.mul_(max(1.0, SIZE / size))
    after = [one for one in run() if one.function in SCORES and one.classes == classes]
    raw = heads.last[classes][2:]
    return Bound(name, type(module).__name__, raw, (after[-1].lowest, after[-1].highest)) if after else None


def _weight(module: torch.nn.Module) -> torch.Tensor | None:
    weight = getattr(module, "weight", None)
    return weight if isinstance(weight, torch.Tensor) and weight.is_floating_point() else None


def _before_hooks(module: torch.nn.Module, given: Any, output: torch.Tensor) -> torch.Tensor:
    """A linear layer can be asked again, which is cheap for the few rows of a trial."""
    if isinstance(module, torch.nn.Linear) and given and isinstance(given[0], torch.Tensor):
        with torch.no_grad():
            return torch.nn.functional.linear(given[0], module.weight, module.bias)
    return output.detach()
