"""Runs a row alone and the same row padded beside a longer one, and finds the first module that differs."""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.collation.types import CollatedSample
from probes.facts.core.batch_rows import MASKS, input_of, tensors
from probes.facts.core.batches import copy_batch
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.padding.first_divergence import DivergenceHooks
from probes.facts.padding.types import MaskCoverage, PaddingEffect

RANDOM = 1e-6


def compare(setup: StepSetup, collation: CollatedSample) -> PaddingEffect:
    """Two forward passes in evaluation mode, of the shortest of the collated items; again where a mask is missing."""
    model, compute_loss, labels_of, row = setup.model, setup.compute_loss, setup.labels_of, _PaddedRow(collation)
    found = PaddingEffect(
        lengths=(row.length, row.other),
        input_change=row.change,
        masks=tuple(row.masks()),
        accepted_masks=tuple(name for name in inspect.signature(model.forward).parameters if name in MASKS),
    )
    if row.number is None or _labels_move(labels_of(collation.alone), labels_of(collation.pair), row.number):
        return found
    scored = _scored(labels_of(collation.alone))

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
    masked = row.with_mask() if effect.differs and MASKS[0] in effect.accepted_masks and not effect.masks else None
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


def relative_difference(one: torch.Tensor, other: torch.Tensor) -> float:
    """The largest difference, in units of the values' own spread."""
    return float((one - other).abs().max() / (one.std(correction=0) + 1e-12)) if one.numel() else 0.0


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


class _PaddedRow:
    """The shortest item: alone, and where it stands in the batch of two."""

    def __init__(self, collation: CollatedSample) -> None:
        read = [input_of(batch) for batch in (collation.alone, collation.second, collation.pair)]
        if any(one is None for one in read):
            raise NotApplicable("the batches hold no input that is known by name")
        (self.name, self.alone), (_, again), (_, self.pair) = (one for one in read if one is not None)
        if self.alone.shape != again.shape or not torch.allclose(self.alone.double(), again.double(), atol=RANDOM):
            raise NotApplicable("the collator draws at random: the same item comes out differently")
        sides = [axis for axis in range(1, self.alone.dim()) if self.alone.shape[axis] != self.pair.shape[axis]]
        if len(sides) != 1 or self.alone.dim() != self.pair.dim():
            raise NotApplicable("inputs of different length come out in one size: there is no padding to look at")
        self.batches, self.axis = (collation.alone, collation.pair), sides[0]
        self.length, self.other = self.alone.shape[self.axis], self.pair.shape[self.axis]
        changes = [relative_difference(self.alone[0].double(), self._part(row).double()) for row in self.pair]
        self.change = min(changes)
        self.number = changes.index(self.change) if self.change < 1e-3 else None

    def _part(self, row: torch.Tensor) -> torch.Tensor:
        return row.narrow(self.axis - 1, 0, self.length)

    def with_mask(self) -> tuple[Any, Any] | None:
        """Both batches with the attention mask that their inputs would have; None where their inputs are no rows."""
        if self.alone.dim() != 2 or not all(isinstance(batch, dict) for batch in self.batches):
            return None
        own = [relative_difference(self.alone[0].double(), self._part(row).double()) < 1e-3 for row in self.pair]
        lengths = torch.tensor([self.length if short else self.other for short in own])
        masks = (torch.ones_like(self.alone), torch.arange(self.other) < lengths[:, None])
        alone, pair = ({**batch, MASKS[0]: mask.long()} for batch, mask in zip(self.batches, masks, strict=True))
        return alone, pair

    def masks(self) -> Iterator[MaskCoverage]:
        """Masks of the input's length, and lengths that are the input's own when it is alone."""
        number = self.number or 0
        pair = dict(tensors(self.batches[1]))
        for name, alone in tensors(self.batches[0]):
            if name not in pair or alone.is_floating_point() or name == self.name:
                continue
            if "mask" in name and alone.dim() == 2 and alone.shape[1] == self.length:
                yield MaskCoverage(name, int(alone[0].sum()), int(pair[name][number].sum()), self._hidden(alone[0]))
            elif alone.dim() == 1 and int(alone[0]) == self.length:
                yield MaskCoverage(name, self.length, int(pair[name][number]))
            elif alone.dim() == 1 and name.startswith("feat") and 0 <= int(alone[0]) < self.length:
                yield MaskCoverage(name, int(alone[0]), int(pair[name][number]), self.length - int(alone[0]))

    def _hidden(self, mask: torch.Tensor) -> int:
        """A row alone may be padded as well, to a multiple of something: what equals its last value is not counted."""
        steps = self.alone[0].movedim(self.axis - 1, 0).reshape(self.length, -1)
        return int(((mask == 0) & (steps != steps[-1]).any(-1)).sum())
