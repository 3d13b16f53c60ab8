"""What was learnt by heart in the mode that the run will train in: dropout, masks and batch norm at work."""

from collections.abc import Mapping
from dataclasses import replace

import torch

from diagnose.common.errors import short_error
from probes.facts.core.batch_rows import with_inputs_exchanged
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
        now = _drawn(learning)
        for number in range(1, FURTHER + 1):
            if _is_better(learning, now, found):
                return now
            learning.stepper.update(learning.pace.rate, learning.eyes.clear)
            if not number % 10:
                now = _drawn(learning, number)
        if _is_better(learning, now, found):
            return now
        learning.stepper.back()
        name, kind = _guilty(learning, found)
        return replace(now, guilty=name, kind=kind)
    except Exception as error:
        return TrainModeResult(float("nan"), None, 0, failure=short_error(error))


def _is_better(learning: OverfitAttempt, now: TrainModeResult, found: OverfitResult) -> bool:
    """What rests on the draws alone is asked again: one in 64 says by chance that all six were worse."""
    if not better(now, found):
        return False
    low = now.book is None or (found.unigram is not None and now.book < found.unigram)
    return low or better(_drawn(learning, now.updates, DRAWS), found)


def _drawn(learning: OverfitAttempt, updates: int = 0, first: int = 0) -> TrainModeResult:
    """Means over a few draws, each of them the same for both kinds of inputs."""
    subject, losses, seen, swapped, worse = learning.subject, [], PassTotals(), PassTotals(), True
    for draw in range(first, first + DRAWS):
        before = swapped.nats - seen.nats
        for batch, wanted in zip(subject.lesson.batches, learning.wanted, strict=True):
            torch.manual_seed(draw)
            losses.append(learning.stepper.loss([batch]))
            learning.eyes.compare(seen, wanted)
            other = with_inputs_exchanged(batch, subject.inputs_of)
            if other is not None:
                torch.manual_seed(draw)
                learning.stepper.loss([other])
                learning.eyes.compare(swapped, wanted)
        worse = worse and swapped.nats - seen.nats > before
    other_book = None if subject.reads_labels else swapped.book
    return TrainModeResult(sum(losses) / len(losses), seen.book, updates, other_book, worse)


def _guilty(learning: OverfitAttempt, found: OverfitResult) -> tuple[str, str]:
    """The first module that lets it through when it alone is switched to evaluation; the strongest dropout first."""
    for name, module in sorted(
        stochastic_modules(learning.subject.model), key=lambda pair: -getattr(pair[1], "p", 0.0)
    )[:MOST]:
        module.training = False
        helps = _is_better(learning, _drawn(learning), found)
        module.training = True
        if helps:
            return name, type(module).__name__
    return "", ""
