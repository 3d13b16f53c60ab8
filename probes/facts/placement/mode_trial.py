"""One forward pass as training makes it: which mode it ran in, and which buffers of frozen parts it moved."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import held_by, restore_afterwards, restore_bindings
from probes.facts.core.step_setup import StepSetup
from probes.facts.parameters.types import MovedBuffer
from probes.facts.placement.types import TrainingPass

ESTIMATES = ("_u", "_v")  # of spectral norm: they come nearer to what they estimate, and nothing else changes


def try_once(setup: StepSetup, batch: Any, anew: bool, scheduler: Any) -> TrainingPass:
    """A forward pass. `anew`: a Trainer puts every module into training mode; else modes within the model stay."""
    model = setup.model
    with _restored(setup, scheduler), torch.no_grad():
        if anew:
            model.train()
        else:
            as_in_training(model)
        loss = partial(setup.compute_loss, model, copy_batch(batch))
        return _watched(model, "compute_loss", loss, pass_counter.FORWARD)


def try_step(setup: StepSetup, batch: Any, training_step: Any, scheduler: Any) -> TrainingPass:
    """The user's own step, in the modes in which the model was given."""
    held = replace(setup, also_restore=(*setup.also_restore, *held_by(training_step)))
    with restore_bindings(training_step), _restored(held, scheduler), torch.enable_grad():
        return _watched(setup.model, "training_step", lambda: training_step(copy_batch(batch)), 1)


def _restored(setup: StepSetup, scheduler: Any) -> AbstractContextManager[Any]:
    return restore_afterwards(setup.model, setup.optimizer, scheduler, setup.grad_scaler, setup.also_restore)


def _watched(model: torch.nn.Module, by: str, run: Callable[[], Any], share: float) -> TrainingPass:
    modes: list[bool] = []
    given = model.training
    before = {name: buffer.clone() for name, buffer, _ in frozen_buffers(model)}
    pass_counter.count_passes(share)
    with removed_afterwards([model.register_forward_pre_hook(lambda module, _: modes.append(module.training))]):
        run()
    asleep = bool(modes) and not any(modes)
    return TrainingPass(by, given, asleep, not model.training, tuple(_moved(model, before)))


def _moved(model: torch.nn.Module, before: dict[str, torch.Tensor]) -> Iterator[MovedBuffer]:
    for name, buffer, kind in frozen_buffers(model):
        if name in before and before[name].shape == buffer.shape and not torch.equal(before[name], buffer):
            size = float(torch.linalg.vector_norm(before[name].float())) or 1.0
            yield MovedBuffer(name, kind, float(torch.linalg.vector_norm((buffer - before[name]).float())) / size)


def frozen_buffers(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor, str]]:
    """Buffers of frozen modules that follow frozen modules only: their inputs do not change either."""
    behind_frozen, teachers = True, tuple(f"{name}." for name in _teachers(model))
    for name, module in model.named_modules():
        if f"{name}.".startswith(teachers):
            continue
        own = [parameter.requires_grad for parameter in module.parameters(recurse=False)]
        if behind_frozen and not any(own):
            for key, buffer in module.named_buffers(recurse=False):
                if buffer.is_floating_point() and not buffer.is_meta and key not in ESTIMATES:
                    yield f"{name}.{key}" if name else key, buffer, type(module).__name__
        if own:
            behind_frozen = not any(own)


def _teachers(model: torch.nn.Module) -> Iterator[str]:
    """Frozen copies of a trained sibling, as BYOL and MoCo have: they follow it by a moving average, in train mode."""
    for path, parent in model.named_modules():
        shapes = {
            name: ({key: p.shape for key, p in child.named_parameters()}, {p.requires_grad for p in child.parameters()})
            for name, child in parent.named_children()
            if not name.isdigit()
        }
        for name, (held, trained) in shapes.items():
            if trained == {False} and (held, {True}) in shapes.values():
                yield f"{path}.{name}" if path else name
