"""The modes of an overfit: without what is random, and afterwards in training mode, with dropout and batch norm."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from diagnose.common.errors import short_error
from probes.facts.core.model_parts import as_in_training
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.detail_types import TrainModeResult
from probes.facts.overfit.loss_targets import PassTotals
from probes.facts.overfit.outcome import learns_in_train_mode
from probes.facts.overfit.types import OverfitResult

DRAWS = 6
MOST = 6  # modules that are switched off one by one
FURTHER = 30  # updates in training mode: weights that were learnt without dropout have to get used to it
RECURRENT = torch.nn.RNNBase  # on a GPU they refuse a backward pass in evaluation mode
Modes = Mapping[torch.nn.Module, bool]


def disable_dropout(model: torch.nn.Module) -> str:
    """Dropout, masking and dropped layers off; batch norm as the run has it. Says what it did."""
    as_in_training(model)
    noisy = [module for module in model.modules() if isinstance(module, _DropoutNd) and module.p > 0]
    for module in model.modules():
        if isinstance(module, RECURRENT):
            module.dropout = 0.0
        elif not isinstance(module, _BatchNorm):
            module.training = False
    return f"dropout, masking and augmentation in the model off ({len(noisy)} dropout modules)"


def evaluate_in_train_mode(learning: OverfitAttempt, modes: Modes, found: OverfitResult) -> TrainModeResult:
    """The loss in training mode, inputs as they are and exchanged, at first and after more updates."""
    for module, training in modes.items():
        module.training = training
    learning.stepper.save()
    try:
        now = _mean_over_draws(learning)
        for number in range(1, FURTHER + 1):
            if _is_better(learning, now, found):
                return replace(now, learns=True)
            learning.stepper.update(learning.rate_control.rate, learning.reader.clear)
            if not number % 10:
                now = _mean_over_draws(learning, number)
        if _is_better(learning, now, found):
            return replace(now, learns=True)
        learning.stepper.back()
        name, kind = _blocking_module(learning, found)
        return replace(now, guilty=name, kind=kind, learns=learns_in_train_mode(now, found))
    except Exception as error:
        return TrainModeResult(float("nan"), None, 0, failure=short_error(error))


def _is_better(learning: OverfitAttempt, now: TrainModeResult, found: OverfitResult) -> bool:
    """A result that rests on the draws alone is repeated: by chance all six are worse once in 64 times."""
    if not learns_in_train_mode(now, found):
        return False
    low = now.cross_entropy is None or (found.unigram is not None and now.cross_entropy < found.unigram)
    return low or learns_in_train_mode(_mean_over_draws(learning, now.updates, DRAWS), found)


def _mean_over_draws(learning: OverfitAttempt, updates: int = 0, first: int = 0) -> TrainModeResult:
    """Means over a few draws, each of them the same for both kinds of inputs."""
    subject, losses, own, swapped, worse = learning.subject, [], PassTotals(), PassTotals(), True
    others = learning.exchanged()
    for draw in range(first, first + DRAWS):
        before = swapped.nats - own.nats
        for batch, other, targets in zip(subject.selection.batches, others, learning.targets, strict=True):
            learning.stepper.draw = draw
            losses.append(learning.stepper.loss([batch]))
            learning.reader.compare(own, targets)
            if other is not None:
                learning.stepper.loss([other])
                learning.reader.compare(swapped, targets)
        worse = worse and swapped.nats - own.nats > before
    learning.stepper.draw = None
    other_book = None if subject.reads_labels else swapped.cross_entropy
    return TrainModeResult(sum(losses) / len(losses), own.cross_entropy, updates, other_book, worse)


def _blocking_module(learning: OverfitAttempt, found: OverfitResult) -> tuple[str, str]:
    """The first module that lets it through when it alone is switched to evaluation; the strongest dropout first."""
    for name, module in sorted(
        _stochastic_modules(learning.subject.model), key=lambda pair: -getattr(pair[1], "p", 0.0)
    )[:MOST]:
        module.training = False
        helps = _is_better(learning, _mean_over_draws(learning), found)
        module.training = True
        if helps:
            return name, type(module).__name__
    return "", ""


def _stochastic_modules(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Modules that act otherwise in training: what may keep a model from learning there."""
    for name, module in model.named_modules():
        if isinstance(module, _DropoutNd | _BatchNorm) and module.training:
            yield name, module
