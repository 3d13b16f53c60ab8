"""One first step for all probes of loss and gradients: forward, backward, an update with an optimiser; undone."""

import time
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.backward_failure import locate_backward_failure
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.model_output import NoLoss, labels_or_none
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.optimizers import set_peak_rates, steps_without_closure
from probes.facts.core.output_hook import OutputHook, first_loss
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import ComputeLoss, StepSetup
from probes.facts.core.types import Failure
from probes.facts.first_step.own_step import gradient_of, tensor_norm
from probes.facts.first_step.types import FirstStep, Gradients


def take_first_step(setup: StepSetup, batch: Any) -> FirstStep:
    """What the run's first step would do, in plain numbers. A model that raises is a result, not a crash."""
    model, compute_loss, optimizer = setup.model, setup.compute_loss, setup.optimizer
    found = labels_or_none(setup.labels_of, batch)
    labels = found if isinstance(found, torch.Tensor) else None
    restored = restore_afterwards(model, optimizer, others=setup.also_restore)
    with restored as before, torch.enable_grad(), OutputHook(model) as output:
        as_in_training(model)
        pass_counter.count_passes()
        start = time.perf_counter()
        loss, failure = forward(model, batch, compute_loss)
        if loss is None:
            return FirstStep(failure=failure)
        step = FirstStep(loss=first_loss(loss, output, labels), forward_seconds=time.perf_counter() - start)
        step = _backward(step, model, loss, output, labels)
        if step.failure:
            step = replace(step, failure=locate_backward_failure(model, batch, compute_loss, step.failure))
        return step if step.failure or optimizer is None else _update(step, model, optimizer, before)


def forward(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss
) -> tuple[torch.Tensor | None, Failure | None]:
    """The loss as one number, or the failure."""
    try:
        loss = compute_loss(model, copy_batch(batch))
    except NoLoss:
        raise
    except Exception as error:
        return None, failure_of(error, model, "forward pass")
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        is_tensor = isinstance(loss, torch.Tensor)
        found = f"a tensor of shape {list(loss.shape)}" if is_tensor else f"a {type(loss).__name__}"
        return None, Failure("loss function", "TypeError", f"it returned {found}, not a tensor with one element")
    return loss.reshape(()), None


def _backward(
    step: FirstStep, model: torch.nn.Module, loss: torch.Tensor, output: OutputHook, labels: torch.Tensor | None
) -> FirstStep:
    start = time.perf_counter()
    try:
        loss.backward()
    except Exception as error:
        return replace(step, failure=failure_of(error, model, "backward pass"))
    rows = tuple(gradient_of(name, parameter) for name, parameter in trainable(model))
    norm = sum(row.norm**2 for row in rows if row.norm is not None) ** 0.5
    if output.scored is not None and step.loss is not None:
        step = replace(step, loss=replace(step.loss, scored_positions=int(output.scored.sum())))
    return replace(
        step,
        gradients=Gradients(rows, norm),
        scored_positions=output.scored_positions(labels),
        loss_targets=output.loss_targets(labels),
        backward_seconds=time.perf_counter() - start,
    )


def _update(step: FirstStep, model: torch.nn.Module, optimizer: Any, before: Snapshot) -> FirstStep:
    """One update at the highest rate that the schedule names: in a warm-up the first one is meant to be tiny."""
    if step.gradients is None or not steps_without_closure(optimizer):
        return step
    rate = set_peak_rates(optimizer)
    try:
        optimizer.step()
    except Exception as error:
        return replace(step, failure=failure_of(error, model, "update"))
    rates = {id(weight): float(group.get("lr", 0)) for group in optimizer.param_groups for weight in group["params"]}
    weights = {name: weight for name, weight in trainable(model) if id(weight) in rates}
    rows = []
    for row in step.gradients.rows:
        if (weight := weights.get(row.name)) is not None:
            moved, changed = _change(weight, before.copy_of(weight))
            row = replace(row, moved=moved, changed=changed, rate=rates[id(weight)])
        rows.append(row)
    own = type(getattr(optimizer, "optimizer", optimizer)).__module__.startswith("torch.optim")
    return replace(step, gradients=replace(step.gradients, rows=tuple(rows), rate=rate, rounds=own))


def _change(parameter: torch.nn.Parameter, before: torch.Tensor) -> tuple[float, float]:
    """The norm of the change, and the share of the elements with a gradient that changed at all."""
    change = parameter.detach() - before
    gradient = parameter.grad
    reached = torch.ones_like(change, dtype=torch.bool) if gradient is None else gradient.to_dense() != 0
    return tensor_norm(change), float(((change != 0) & reached).sum()) / max(int(reached.sum()), 1)
