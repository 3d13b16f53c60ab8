"""Eight faults that can be put into almost any run. Each returns the broken facts, or None where it does not apply."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import islice
from typing import Any

import torch
from torch import nn

from tests.zoo.batch_changes import (
    change_batches,
    first_batch,
    float_leaves,
    labels_in,
    loader_of,
    loss_of,
    with_labels,
)
from tests.zoo.registry import Facts

Put = Callable[[Facts], Facts | None]
MOST = 200  # batches in which a NaN is looked for; a stream does not end


def labels_ignored(facts: Facts) -> Facts | None:
    """Every label is -100; it applies where the loss leaves such labels out, so that nothing is left of it."""
    batch = first_batch(facts)
    labels = labels_in(batch)
    if "training_step" in facts or not labels or any(value.dtype != torch.long for value in labels.values()):
        return None
    try:
        loss = float(loss_of(facts, with_labels(batch, {k: torch.full_like(v, -100) for k, v in labels.items()})))
    except (RuntimeError, IndexError, ValueError):
        return None
    if loss == loss and loss != 0.0:
        return None
    return change_batches(
        facts, lambda b: with_labels(b, {k: torch.full_like(v, -100) for k, v in labels_in(b).items()})
    )


def head_frozen(facts: Facts) -> Facts | None:
    """The last layer that the loss depends on does not train."""
    layers = [m for m in _model(facts).modules() if isinstance(m, nn.Linear) and m.weight.requires_grad]
    if "training_step" not in facts and len(layers) > 1:
        weights = [layer.weight for layer in layers]
        gradients = torch.autograd.grad(loss_of(facts, first_batch(facts)), weights, allow_unused=True)
        layers = [layer for layer, gradient in zip(layers, gradients, strict=True) if gradient is not None]
    if len(layers) < 2:
        return None
    layers[-1].requires_grad_(False)
    return facts


def half_detached(facts: Facts) -> Facts | None:
    """A module in the middle hands on its output without gradient."""
    if "training_step" in facts:
        return None
    model = _model(facts)
    reached = _reached(facts)
    called = [m for name, m in model.named_modules() if name and any(True for _ in m.parameters())]
    middle = sorted(range(len(called)), key=lambda number: abs(number - len(called) // 2))
    for number in middle:
        handle = called[number].register_forward_hook(lambda module, args, out: _detached(out))
        try:
            left = _reached(facts)
        except (RuntimeError, TypeError, AttributeError):
            left = 0
        if 0.1 * reached < left < 0.9 * reached:
            return facts
        handle.remove()
    return None


def nan_row(facts: Facts) -> Facts | None:
    """One row of the training data holds a NaN, wherever it is drawn: one of the sixth batch, or of the last.

    It applies where a second epoch draws the same row again: not to rows that are augmented anew.
    """
    batches = list(islice(loader_of(facts), 6))
    if not float_leaves(batches[-1]):
        return None
    victim = float_leaves(batches[-1])[0][0].clone()

    def change(batch: Any) -> Any:
        for row in float_leaves(batch)[0]:
            width = [slice(0, min(a, b)) for a, b in zip(row.shape, victim.shape, strict=True)]
            if torch.equal(row[tuple(width)], victim[tuple(width)]):
                row.view(-1)[0] = float("nan")
        return batch

    broken = change_batches(facts, change)
    drawn = (one for batch in islice(loader_of(broken), MOST) for one in float_leaves(batch))
    return broken if any(bool(one.isnan().any()) for one in drawn) else None


def rate_times_1000(facts: Facts) -> Facts | None:
    """The learning rate is a thousand times too large."""
    if "trainer" in facts and facts["trainer"].optimizer is None:
        facts["trainer"].args.learning_rate *= 1000
        return facts
    found = facts["trainer"].optimizer if "trainer" in facts else facts.get("optimizer", [])
    for optimizer in found if isinstance(found, list) else [found]:
        for group in optimizer.param_groups:
            group.update({key: group[key] * 1000 for key in ("lr", "initial_lr", "max_lr", "min_lr") if key in group})
    scheduler = facts.get("scheduler")
    if hasattr(scheduler, "base_lrs"):
        scheduler.base_lrs = [rate * 1000 for rate in scheduler.base_lrs]
    return facts if found else None


def optimizer_of_another_model(facts: Facts) -> Facts | None:
    """The optimizer holds the parameters of a copy."""
    if "training_step" in facts:
        return None
    model = _model(facts)
    other = [p for p in copy.deepcopy(model).parameters() if p.requires_grad]
    if "trainer" in facts:
        facts["trainer"].optimizer = torch.optim.AdamW(other, lr=facts["trainer"].args.learning_rate)
        return facts
    optimizer = facts["optimizer"]
    if len(optimizer.param_groups) > 1:
        return None
    optimizer.param_groups[0]["params"] = other
    return facts


def targets_shuffled(facts: Facts) -> Facts | None:
    """Inside each batch the labels belong to other rows; it applies where the loss looks at the labels."""
    batch = first_batch(facts)
    labels = labels_in(batch)
    if not labels or len(next(iter(labels.values()))) < 4:
        return None
    if "training_step" not in facts:
        losses = []
        for values in (labels, {key: value.flip(0) for key, value in labels.items()}):
            torch.manual_seed(0)
            losses.append(float(loss_of(facts, with_labels(batch, values))))
        if losses[0] == losses[1]:
            return None

    def change(batch: Any) -> Any:
        own = labels_in(batch)
        rows = len(next(iter(own.values())))
        order = torch.randperm(rows)
        return with_labels(batch, {key: value[order] for key, value in own.items()})

    return change_batches(facts, change)


def zero_grad_forgotten(facts: Facts) -> Facts | None:
    """Gradients of all steps add up."""
    if "training_step" in facts:
        return None
    model = _model(facts)
    if "trainer" in facts:
        model.zero_grad = lambda set_to_none=True: None  # type: ignore[method-assign]
        return facts
    optimizer = facts["optimizer"]
    if isinstance(optimizer, torch.optim.LBFGS):
        return None

    def training_step(batch: Any) -> torch.Tensor:
        loss = facts["compute_loss"](model, batch) if "compute_loss" in facts else model(**batch).loss
        loss.backward()
        optimizer.step()
        return loss.detach()

    return {**facts, "training_step": training_step}


FAULTS: dict[str, Put] = {
    put.__name__: put
    for put in (
        labels_ignored,
        head_frozen,
        half_detached,
        nan_row,
        rate_times_1000,
        optimizer_of_another_model,
        targets_shuffled,
        zero_grad_forgotten,
    )
}


def _model(facts: Facts) -> nn.Module:
    return facts["trainer"].model if "trainer" in facts else facts["model"]


def _detached(out: Any) -> Any:
    if torch.is_tensor(out):
        return out.detach()
    if isinstance(out, tuple) and hasattr(out, "_fields"):
        return type(out)(*map(_detached, out))
    return tuple(map(_detached, out)) if isinstance(out, tuple) else out


def _reached(facts: Facts) -> int:
    """How many parameters a backward pass reaches."""
    model = _model(facts)
    model.zero_grad(set_to_none=True)
    loss_of(facts, first_batch(facts)).backward()
    count = sum(p.grad is not None for p in model.parameters())
    model.zero_grad(set_to_none=True)
    return count
