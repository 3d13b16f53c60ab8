"""What a model says when the labels before are given, beside what it said by itself."""

from difflib import SequenceMatcher
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_output import logits_of
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.generation.trials import GenerationContext
from probes.facts.generation.types import FreeGeneration, TeacherForcingGap


def agreement_of(scene: GenerationContext, heard: FreeGeneration, setup: StepSetup) -> TeacherForcingGap | None:
    """One forward pass of the rows in evaluation mode. None where scores and labels do not stand side by side."""
    scores = teacher_forced_logits(setup, scene.speaking.batch)
    return None if scores is None or scores.dim() != 3 else _compared(scene, heard, scores.argmax(-1).tolist())


def teacher_forced_logits(setup: StepSetup, batch: Any) -> torch.Tensor | None:
    """The scores with the labels before given, in evaluation mode."""
    model, seen = setup.model, list[torch.Tensor | None]()
    with restore_afterwards(model, others=setup.also_restore), torch.no_grad():
        model.eval()
        handle = model.register_forward_hook(lambda module, given, output: seen.append(logits_of(output)))
        pass_counter.count_passes()
        try:
            setup.compute_loss(model, copy_batch(batch))
        except Exception:  # the first step has told what the forward pass raises
            return None
        finally:
            handle.remove()
    return seen[-1] if seen else None


def _compared(scene: GenerationContext, heard: FreeGeneration, best: list[list[int]]) -> TeacherForcingGap | None:
    pairs = [
        (got, wanted)
        for row, line in zip(scene.rows, best, strict=False)
        for got, wanted in zip(line, row.ids, strict=False)
        if wanted >= 0
    ]
    likeness = [SequenceMatcher(None, row.ids, row.labels, autojunk=False).ratio() for row in heard.rows]
    if not pairs or not likeness or len(best[0]) < len(scene.labels[0]):
        return None
    worst: Any = heard.rows[likeness.index(min(likeness))]
    example = " ".join(map(scene.names, worst.ids[:12])), " ".join(map(scene.names, worst.labels[:12]))
    forced = sum(got == wanted for got, wanted in pairs) / len(pairs)
    return TeacherForcingGap(forced, sum(likeness) / len(likeness), len(likeness), example)
