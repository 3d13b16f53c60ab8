"""Compares a model's predictions with teacher forcing with what it generates by itself."""

from difflib import SequenceMatcher
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.output_hook import OutputHook
from probes.facts.core.step_setup import StepSetup
from probes.facts.generation.trials import GenerationContext
from probes.facts.generation.types import FreeGeneration, TeacherForcingGap


def agreement_of(context: GenerationContext, generated: FreeGeneration, setup: StepSetup) -> TeacherForcingGap | None:
    """One forward pass of the rows in evaluation mode. None where scores and labels do not stand side by side."""
    scores = teacher_forced_logits(setup, context.runner.batch)
    return None if scores is None or scores.dim() != 3 else _compared(context, generated, scores.argmax(-1).tolist())


def teacher_forced_logits(setup: StepSetup, batch: Any) -> torch.Tensor | None:
    """The logits of a pass with teacher forcing in evaluation mode; None if it raises."""
    model = setup.model
    with restore_afterwards(model, others=setup.also_restore), torch.no_grad(), OutputHook(model) as hook:
        model.eval()
        pass_counter.count_passes()
        try:
            setup.compute_loss(model, copy_batch(batch))
        except Exception:  # the first step has said what the forward pass raises
            return None
    return hook.logits


def _compared(context: GenerationContext, generated: FreeGeneration, best: list[list[int]]) -> TeacherForcingGap | None:
    pairs = [
        (got, wanted)
        for row, line in zip(context.rows, best, strict=False)
        for got, wanted in zip(line, row.ids, strict=False)
        if wanted >= 0
    ]
    likeness = [SequenceMatcher(None, row.ids, row.labels, autojunk=False).ratio() for row in generated.rows]
    if not pairs or not likeness or len(best[0]) < len(context.labels[0]):
        return None
    worst: Any = generated.rows[likeness.index(min(likeness))]
    example = " ".join(map(context.names, worst.ids[:12])), " ".join(map(context.names, worst.labels[:12]))
    forced = sum(got == wanted for got, wanted in pairs) / len(pairs)
    return TeacherForcingGap(forced, sum(likeness) / len(likeness), len(likeness), example)
