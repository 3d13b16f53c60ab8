"""Exchanges one input after the other between the rows, and looks for inputs and positions that change nothing."""

from collections.abc import Iterator
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import tensors_of
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.influence.library import library_of
from probes.facts.influence.model_call import Change, ModelCall, same_outputs
from probes.facts.influence.types import InputInfluence, UnusedPart

NOISE = 10.0  # times the spread of the input: a maximum, a dead ReLU or a bucket is left behind
DRAWS = 2
AT_ZERO = 0.05
RUN = 2  # positions: a run of fewer is not looked at


def measure_input_influence(setup: StepSetup, batch: Any) -> InputInfluence:
    """In evaluation mode, with weights that were perturbed: what starts at zero lets nothing through."""
    model = setup.model
    with restore_afterwards(model, others=setup.also_restore):
        model.eval()
        _perturb(model)
        call = ModelCall(setup, batch)
        labels = labels_or_none(setup.labels_of, batch)
        tried = [name for name, value in call.inputs.items() if _is_input(name, value, labels)]
        trial = _InputTrial(call)
        unused = tuple(name for name in tried if trial.is_silent(name, lambda value: value.roll(1, 0)))
        floats = [name for name in tried if name not in unused and call.inputs[name].is_floating_point()]
        parts = tuple(part for name in floats for part in trial.silent_parts(name))
    return InputInfluence(tuple(tried), unused, parts, library_of(type(model)))


def _perturb(model: torch.nn.Module) -> None:
    """Noise of a tenth of the weights' size; far more where all are zero, for a scalar loss to show it in float32."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.is_floating_point():
                size = float(weight.float().square().mean().sqrt()) if weight.numel() else 0.0
                weight.add_(torch.randn_like(weight) * (0.1 * size or AT_ZERO))


def _is_input(name: str, value: torch.Tensor, labels: Any) -> bool:
    """Whether the rows differ in it, and it is neither the labels nor their lengths."""
    if not value.dim() or "label" in name or bool(torch.equal(value.roll(1, 0), value)):
        return False
    known = [tensor for _, leaf in tensors_of(labels) for tensor in (leaf, (leaf >= 0).sum(-1))]
    return not any(torch.equal(value, tensor) for tensor in known)


class _InputTrial:
    """Passes with one input changed, against the same without a change."""

    def __init__(self, call: ModelCall) -> None:
        self.call = call
        with torch.no_grad():
            self.usual, self.loss = call.outputs(), call.loss()
            if not same_outputs(self.usual, call.outputs()) or call.loss() != self.loss:
                raise NotApplicable("the model keeps state between forward passes: the second has different outputs")

    def is_silent(self, name: str, change: Any) -> bool:
        """Neither the outputs nor the loss follow, in evaluation mode or in training. What raises is read."""

        def change_one(other: str, value: torch.Tensor) -> torch.Tensor:
            return change(value) if other == name else value

        try:
            with torch.no_grad():
                if not same_outputs(self.usual, self.call.outputs(change_one)):
                    return False
                return self.call.loss(change_one) == self.loss and self._is_silent_in_training(change_one)
        except Exception:
            return False

    def _is_silent_in_training(self, change: Change) -> bool:
        model = self.call.setup.model
        buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
        model.train()
        try:
            return self.call.loss() == self.call.loss(change)
        finally:
            model.eval()
            for buffer, before in buffers:
                buffer.copy_(before)

    def silent_parts(self, name: str) -> Iterator[UnusedPart]:
        """Runs of positions without gradient along one axis, each shown with large noise to have no influence."""
        dead = self._without_gradient(name)
        if dead is None or not bool(dead.any()):
            return
        shape = tuple(dead.shape)
        for axis in range(dead.dim()):
            whole = dead.movedim(axis, 0).reshape(shape[axis], -1).all(1).tolist()
            for first, last in _runs(whole):
                if self._noise_is_silent(name, axis + 1, first, last):
                    yield UnusedPart(name, shape, axis, first, last)

    def _without_gradient(self, name: str) -> torch.Tensor | None:
        """Of one row's shape: no row has a gradient there, though the rows differ."""
        leaf: list[torch.Tensor] = []

        def watch(other: str, value: torch.Tensor) -> torch.Tensor:
            if other != name:
                return value
            leaf.append(value.detach().requires_grad_(True))
            return leaf[-1]

        try:
            with torch.enable_grad():
                outputs = [out for out in self.call.outputs(watch) if out.requires_grad]
                noise = [torch.randn_like(out) for out in outputs]
                (gradient,) = torch.autograd.grad(outputs, leaf[-1], noise, allow_unused=True)
        except RuntimeError:
            return None
        if gradient is None:
            return None
        value = self.call.inputs[name]
        return (gradient == 0).all(0) & (value != value[:1]).any(0)

    def _noise_is_silent(self, name: str, axis: int, first: int, last: int) -> bool:
        value = self.call.inputs[name]
        size = NOISE * float(value.float().std(correction=0))

        def is_silent() -> bool:  # the noise is drawn first: dropout has to draw the same numbers with it and without
            noise = size * torch.randn_like(value.narrow(axis, first, last - first + 1))

            def noisy(own: torch.Tensor) -> torch.Tensor:
                own.narrow(axis, first, last - first + 1).add_(noise)
                return own

            return self.is_silent(name, noisy)

        return all(is_silent() for _ in range(DRAWS))


def _runs(flags: list[bool]) -> Iterator[tuple[int, int]]:
    """First and last of each run of True that is long enough."""
    start = None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            if place - start >= RUN:
                yield start, place - 1
            start = None
