"""Runs a row alone and the same row padded beside a longer one, and finds the first module that differs."""

import inspect
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batch_rows import MASKS
from probes.facts.core.batches import copy_batch
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.padding.first_divergence import DivergenceHooks
from probes.facts.padding.padded_batches import PaddedBatches
from probes.facts.padding.padded_row import PaddedRow, relative_difference
from probes.facts.padding.types import PaddingEffect

MOVED = 1e-4  # of the scores' spread: rounding alone leaves less, and no further pass is needed


def compare(setup: StepSetup, collation: PaddedBatches) -> PaddingEffect:
    """Two forward passes in evaluation mode, of one row alone and padded; again where a mask is missing."""
    model, compute_loss, labels_of, row = setup.model, setup.compute_loss, setup.labels_of, PaddedRow(collation)
    found = PaddingEffect(
        lengths=(row.length, row.other),
        input_change=row.change,
        masks=tuple(row.masks()),
        accepted_masks=tuple(name for name in inspect.signature(model.forward).parameters if name in MASKS),
    )
    labels, padded = labels_of(collation.alone), labels_of(collation.pair)
    if row.number is None or row.is_left or _labels_move(labels, padded, row.number):
        return found  # scores of rows that are filled up in front stand elsewhere, and have other positions
    scored = _scored(labels)

    def scores_of(batches: tuple[Any, Any], number: int) -> PaddingEffect:
        restored = restore_afterwards(model, others=setup.also_restore)
        with restored, torch.no_grad(), DivergenceHooks(model) as hooks:
            model.eval()
            pass_counter.count_passes(2)
            compute_loss(model, copy_batch(batches[0]))
            alone = hooks.logits
            hooks.compare(number)
            compute_loss(model, copy_batch(batches[1]))
            return _with_scores(found, alone, hooks.logits, number, scored, hooks.diverged)

    effect = scores_of((collation.alone, collation.pair), row.number)
    moved = effect.score_change is not None and effect.score_change > MOVED
    if moved and (less := row.with_less_padding()):
        effect = replace(effect, score_change=scores_of(less, 0).score_change)
    masked = row.with_mask() if moved and MASKS[0] in effect.accepted_masks and not effect.masks else None
    if masked is None:
        return effect
    try:
        return replace(effect, masked_change=scores_of(masked, row.number).score_change)
    except Exception:  # the model may refuse a mask of ours: then the result without it stands
        return effect


def _with_scores(
    found: PaddingEffect, alone: Any, padded: Any, number: int, scored: int, diverged: tuple[str, str]
) -> PaddingEffect:
    if alone is None or padded is None or alone.dim() != 3 or padded.dim() != 3:
        return found
    count = scored if 0 < scored <= alone.shape[1] else alone.shape[1] // 2  # frames at the edge see the end anyway
    one, other = alone[0, :count].float(), padded[number, :count].float()
    if one.shape != other.shape or not bool(torch.isfinite(one).all() & torch.isfinite(other).all()):
        return found
    change = relative_difference(one, other)
    eps = torch.finfo(alone.dtype).eps
    return replace(found, score_change=change, eps=eps, module=diverged[0], kind=diverged[1])


def _labels_move(alone: Any, pair: Any, number: int) -> bool:
    """Whether the labels change or move beside a longer row: then the scores say nothing about padding."""
    if not all(isinstance(labels, torch.Tensor) and labels.dim() == 2 for labels in (alone, pair)):
        return False
    kept = alone[0][alone[0] >= 0]
    padded = pair[number] if number < len(pair) else pair[0, :0]
    first = int((alone[0] >= 0).long().argmax()) if len(kept) else 0
    return not torch.equal(padded[first : first + len(kept)], kept) or (not len(kept) and bool((padded >= 0).any()))


def _scored(labels: Any) -> int:
    return int((labels[0] >= 0).sum()) if isinstance(labels, torch.Tensor) and labels.dim() == 2 else 0
