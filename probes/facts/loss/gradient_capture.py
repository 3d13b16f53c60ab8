"""Catches gradients as backward passes leave them, before anything clips, uses or clears them, and compares two."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.hooks import ModuleHooks
from probes.facts.core.model_parts import trainable

MOST = 1 << 16  # values of each gradient that are compared, evenly spread: all of them in most tensors

Sample = dict[str, torch.Tensor]


class GradientCapture(ModuleHooks):
    """Keeps a sample of every gradient after each backward pass: clipping, updating and zeroing come too late."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(model)
        self.samples: Sample = {}
        self._named = trainable(model)

    def handles(self) -> Iterator[RemovableHandle]:
        self._unhooked = [parameter for _, parameter in self._named if parameter._post_accumulate_grad_hooks is None]
        for name, parameter in self._named:
            yield parameter.register_post_accumulate_grad_hook(partial(self._on_gradient, name))

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        for parameter in self._unhooked:
            parameter._post_accumulate_grad_hooks = None  # type: ignore[assignment]

    def _on_gradient(self, name: str, parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            self.samples[name] = sample_gradient(parameter.grad)


def sample_gradient(gradient: torch.Tensor) -> torch.Tensor:
    flat = (gradient.to_dense() if gradient.is_sparse else gradient).detach().reshape(-1)
    every = flat.numel() // MOST + 1
    return flat[:: every + (every > 1 and every % 2 == 0)].float().clone()


def mean(samples: Sequence[Sample]) -> Sample:
    names = {name for sample in samples for name in sample}
    return {name: torch.stack([s[name] for s in samples if name in s]).sum(0) / len(samples) for name in names}


def compare_gradients(found: Sample, reference: Sample) -> tuple[float, float, float]:
    """Relative error, ratio along the reference, cosine; over what both hold."""
    names = [name for name in reference if name in found]
    along = sum(float((found[name] * reference[name]).sum()) for name in names)
    size = sum(float(value.square().sum()) for value in reference.values())
    own = sum(float(value.square().sum()) for value in found.values())
    if not size or not own:
        return float("inf"), 0.0, 0.0
    apart = sum(float((found[name] - reference[name]).square().sum()) for name in names)
    apart += sum(float(found[name].square().sum()) for name in found if name not in reference)
    apart += sum(float(reference[name].square().sum()) for name in reference if name not in found)
    return (apart / size) ** 0.5, along / size, along / (own * size) ** 0.5
