"""One first step for all probes of loss and gradients: forward, backward, an update with an optimiser; undone."""

import inspect
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import torch

from diagnose import meter
from probes.instruments.batches import copied
from probes.instruments.failure import failure_of
from probes.instruments.finite import is_finite
from probes.instruments.keeping import Keeper
from probes.instruments.observer import observed
from probes.instruments.outputs import ComputeLoss, NoLoss
from probes.instruments.watching import Watch, first_loss, watched
from probes.measured.steps import Failure, FirstStep, Gradient, Gradients

Named = list[tuple[str, torch.nn.Parameter]]


def take_first_step(
    model: torch.nn.Module,
    batch: Any,
    compute_loss: ComputeLoss,
    labels: torch.Tensor | None = None,
    optimizer: Any = None,
    others: Iterable[Any] = (),
) -> FirstStep:
    """What the run's first step would do, in plain numbers. A model that raises is a result, not a crash."""
    with observed(model, optimizer, others=others) as before, torch.enable_grad(), watched(model) as watch:
        if not model.training:  # modes that the user has set within a training model stay as they are
            model.train()
        meter.count()
        start = time.perf_counter()
        loss, failure = _forward(model, batch, compute_loss)
        if loss is None:
            return FirstStep(failure=failure)
        step = FirstStep(loss=first_loss(loss, watch, labels), forward_seconds=time.perf_counter() - start)
        step = _backward(step, model, loss, watch, labels)
        return step if step.failure or optimizer is None else _update(step, model, optimizer, before)


def _forward(
    model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss
) -> tuple[torch.Tensor | None, Failure | None]:
    try:
        loss = compute_loss(model, copied(batch))
    except NoLoss:
        raise
    except Exception as error:
        return None, failure_of(error, model, "forward pass")
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        found = (
            f"a tensor of shape {list(loss.shape)}" if isinstance(loss, torch.Tensor) else f"a {type(loss).__name__}"
        )
        return None, Failure("loss function", "TypeError", f"it returned {found}, not a tensor with one element")
    return loss.reshape(()), None


def _backward(
    step: FirstStep, model: torch.nn.Module, loss: torch.Tensor, watch: Watch, labels: torch.Tensor | None
) -> FirstStep:
    start = time.perf_counter()
    try:
        loss.backward()
    except Exception as error:
        return replace(step, failure=failure_of(error, model, "backward pass"))
    rows = tuple(gradient_of(name, parameter) for name, parameter in trainable(model))
    norm = sum(row.norm**2 for row in rows if row.norm is not None) ** 0.5
    felt, wanted = watch.positions(labels), watch.asked(labels)
    if watch.felt is not None and step.loss is not None:
        step = replace(step, loss=replace(step.loss, felt_positions=int(watch.felt.sum())))
    seconds = time.perf_counter() - start
    return replace(step, gradients=Gradients(rows, norm), felt=felt, wanted=wanted, backward_seconds=seconds)


def trainable(model: torch.nn.Module) -> Named:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def gradient_of(name: str, parameter: torch.nn.Parameter) -> Gradient:
    """Norm in float32; a norm of nought is looked at again, since tiny squares underflow."""
    weight = _norm(parameter.detach())
    gradient = parameter.grad
    if gradient is None:
        return Gradient(name, None, size=parameter.numel(), weight_norm=weight)
    gradient = gradient.coalesce().values() if gradient.is_sparse else gradient
    norm = _norm(gradient)
    if norm == 0.0 and int(torch.count_nonzero(gradient)):
        norm = float(gradient.abs().max())
    return Gradient(name, norm, finite=is_finite(gradient), size=parameter.numel(), weight_norm=weight)


def _norm(tensor: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(tensor, dtype=torch.promote_types(tensor.dtype, torch.float32)))


def _update(step: FirstStep, model: torch.nn.Module, optimizer: Any, before: Keeper) -> FirstStep:
    if step.gradients is None or _wants_closure(optimizer.step):
        return step
    try:
        optimizer.step()
    except Exception as error:
        return replace(step, failure=failure_of(error, model, "update"))
    moves = {name: _moved(parameter, before) for name, parameter in trainable(model)}
    rows = tuple(replace(row, moved=moves[row.name][0], changed=moves[row.name][1]) for row in step.gradients.rows)
    return replace(step, gradients=replace(step.gradients, rows=rows))


def _wants_closure(step: Callable[..., Any]) -> bool:
    closure = inspect.signature(step).parameters.get("closure")
    return closure is not None and closure.default is inspect.Parameter.empty


def _moved(parameter: torch.nn.Parameter, before: Keeper) -> tuple[float, float]:
    change = parameter.detach() - before.copy_of(parameter)
    return _norm(change), float(torch.count_nonzero(change)) / max(change.numel(), 1)
