"""What was learnt by heart in the mode that the run will train in: dropout, masks and batch norm at work."""

from collections.abc import Mapping

import torch

from diagnose.facts import told
from probes.instruments.learning_eyes import Seen
from probes.instruments.learning_modes import droppers
from probes.instruments.overfitting import Learning
from probes.measured.learning import Training

DRAWS = 3
FURTHER = 30  # updates in training mode: weights that were learnt without dropout have to get used to it
Modes = Mapping[torch.nn.Module, bool]


def in_training(learning: Learning, modes: Modes) -> Training:
    """The loss in training mode against what the labels' statistics alone allow."""
    for module, training in modes.items():
        module.training = training
    try:
        loss, book = _drawn(learning)
        if _is_fine(learning, loss, book):
            return Training(loss, book, 0)
        for number in range(1, FURTHER + 1):
            learning.stepper.update(learning.rate, learning.eyes.clear)
            if not number % 10:
                loss, book = _drawn(learning)
                if _is_fine(learning, loss, book):
                    return Training(loss, book, number)
        name, kind = _guilty(learning)
        return Training(loss, book, FURTHER, name, kind)
    except Exception as error:
        return Training(float("nan"), None, 0, failure=told(error))


def _is_fine(learning: Learning, loss: float, book: float | None) -> bool:
    """Better than what is reached without knowing anything of the rows."""
    if book is not None and learning.unigram:
        return book < learning.unigram
    return loss < learning.curve[0]


def _drawn(learning: Learning) -> tuple[float, float | None]:
    """Means over a few draws."""
    losses, seen = [], Seen()
    for _ in range(DRAWS):
        for batch, wanted in zip(learning.subject.lesson.batches, learning.wanted, strict=True):
            losses.append(learning.stepper.loss([batch]))
            learning.eyes.compare(seen, wanted)
    return sum(losses) / len(losses), seen.book


def _guilty(learning: Learning) -> tuple[str, str]:
    """The first module that lets it through when it alone is switched to evaluation; the strongest dropout first."""
    found = sorted(droppers(learning.subject.model), key=lambda pair: -getattr(pair[1], "p", 0.0))
    for name, module in found:
        module.training = False
        loss, book = _drawn(learning)
        module.training = True
        if _is_fine(learning, loss, book):
            return name, type(module).__name__
    return "", ""
