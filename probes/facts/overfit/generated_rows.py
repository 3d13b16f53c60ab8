"""Generates the overfitted rows in free running."""

from typing import Any

import torch

from probes.facts.generation.run_generation import GenerationRunner
from probes.facts.overfit.stepper import OverfitSetup

MARGIN = 16  # tokens beyond the longest labels: prompts and an end
PASSES = 60.0  # of training, at most: as many as the learning itself may take


def generate_rows(subject: OverfitSetup, pass_seconds: float) -> tuple[tuple[str, str], ...]:
    """Its text and the reference of each row; nothing where it cannot generate."""
    if subject.generate is None or subject.decode is None:
        return ()
    pairs: list[tuple[str, str]] = []
    for batch in subject.selection.batches:
        labels: Any = subject.labels_of(batch)
        if not isinstance(labels, torch.Tensor) or labels.dim() < 2:
            return ()
        run = GenerationRunner(subject.model, subject.generate, batch, pass_seconds).run(
            labels.shape[1] + MARGIN, PASSES
        )
        if run.failure is not None or (run.ids and len(run.ids) != len(labels)):
            return ()  # the generation stage tells of that
        texts = _texts(subject, run.ids) or [""] * len(labels)
        pairs += zip(texts, _texts(subject, labels.tolist()), strict=True)
    return tuple(pairs)


def _texts(subject: OverfitSetup, ids: list[list[int]]) -> list[str]:
    """Padded as a batch is."""
    rows = [torch.tensor(row) for row in ids]
    if not rows or subject.decode is None:
        return []
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)
    return [" ".join(text.split()) for text in subject.decode(padded)]
