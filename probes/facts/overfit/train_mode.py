"""Evaluates the overfitted rows in training mode, with dropout, masks and batch norm."""

from collections.abc import Mapping
from dataclasses import replace

import torch

from diagnose.common.errors import short_error
from probes.facts.core.batch_changes import with_inputs_exchanged
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.loss_targets import PassTotals
from probes.facts.overfit.module_modes import stochastic_modules
from probes.facts.overfit.types import OverfitResult, TrainModeResult, better

DRAWS = 6
MOST = 6  # modules that are switched off one by one
FURTHER = 30  # updates in training mode: weights that were learnt without dropout have to get used to it
Modes = Mapping[torch.nn.Module, bool]


def evaluate_in_train_mode(learning: OverfitAttempt, modes: Modes, found: OverfitResult) -> TrainModeResult:
    """The loss in training mode, inputs as they are and exchanged, at first and after more updates."""
    for module, training in modes.items():
        module.training = training
    learning.stepper.save()
    try:
        now = _mean_over_draws(learning)
        for number in range(1, FURTHER + 1):
            if _is_better(learning, now, found):
                return now
            learning.stepper.update(learning.rate_control.rate, learning.reader.clear)
            if not number % 10:
                now = _mean_over_draws(learning, number)
        if _is_better(learning, now, found):
            return now
        learning.stepper.back()
        name, kind = _blocking_module(learning, found)
        return replace(now, guilty=name, kind=kind)
    except Exception as error:
        return TrainModeResult(float("nan"), None, 0, failure=short_error(error))


def _is_better(learning: OverfitAttempt, now: TrainModeResult, found: OverfitResult) -> bool:
    """A result that rests on the draws alone is repeated: by chance all six are worse once in 64 times."""
    if not better(now, found):
        return False
    low = now.cross_entropy is None or (found.unigram is not None and now.cross_entropy < found.unigram)
    return low or better(_mean_over_draws(learning, now.updates, DRAWS), found)


def _mean_over_draws(learning: OverfitAttempt, updates: int = 0, first: int = 0) -> TrainModeResult:
    """Means over a few draws, each of them the same for both kinds of inputs."""
    subject, losses, own, swapped, worse = learning.subject, [], PassTotals(), PassTotals(), True
    for draw in range(first, first + DRAWS):
        before = swapped.nats - own.nats
        for batch, targets in zip(subject.selection.batches, learning.targets, strict=True):
            torch.manual_seed(draw)
            losses.append(learning.stepper.loss([batch]))
            learning.reader.compare(own, targets)
            other = with_inputs_exchanged(batch, subject.inputs_of)
            if other is not None:
                torch.manual_seed(draw)
                learning.stepper.loss([other])
                learning.reader.compare(swapped, targets)
        worse = worse and swapped.nats - own.nats > before
    other_book = None if subject.reads_labels else swapped.cross_entropy
    return TrainModeResult(sum(losses) / len(losses), own.cross_entropy, updates, other_book, worse)


def _blocking_module(learning: OverfitAttempt, found: OverfitResult) -> tuple[str, str]:
    """The first module that lets it through when it alone is switched to evaluation; the strongest dropout first."""
    for name, module in sorted(
        stochastic_modules(learning.subject.model), key=lambda pair: -getattr(pair[1], "p", 0.0)
    )[:MOST]:
        module.training = False
        helps = _is_better(learning, _mean_over_draws(learning), found)
        module.training = True
        if helps:
            return name, type(module).__name__
    return "", ""
