"""Runs a few rows in evaluation mode, again with the same and with other random numbers, and in two parts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from diagnose.engine.seeding import seed_all
from probes.facts.core.batch_changes import input_leaves
from probes.facts.core.batch_rows import rows_of_batch, select_rows
from probes.facts.core.batches import copy_batch
from probes.facts.core.ctc_call import CtcSpy
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.output_hook import OutputHook
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.loss.reference_cross_entropy import target_agreement
from probes.facts.traits.loss_differences import CLOSE, adds_up
from probes.facts.traits.types import TraitTrials

ROWS = 4  # two parts of two: a part of one row has no other row that could influence it


def run_trait_trials(setup: StepSetup, batch: Any) -> TraitTrials:
    """Six forward passes of at most four rows; a batch that cannot be cut is run whole, and not in parts."""
    labels = labels_or_none(setup.labels_of, batch)
    try:
        total = rows_of_batch(batch, labels)
        reason = "" if total > 1 else "the batch has one row"
    except NotApplicable as refusal:
        total, reason = 1, refusal.reason
    rows = min(ROWS, total)
    part = batch if reason else select_rows(batch, range(rows), total)
    with restore_afterwards(setup.model, others=setup.also_restore):
        setup.model.eval()
        trial = _Trial(setup, rows / total)
        try:
            agreement, calls = trial.with_gradient(part)
        except Exception as error:
            if reason:
                raise
            reason = f"some of its rows do not run alone ({type(error).__name__})"
            part = batch
            agreement, calls = trial.with_gradient(part)
        whole = TraitTrials(
            rows=rows,
            loss=trial.run(part, 0),
            same_seed=trial.run(part, 0),
            other_seed=trial.run(part, 1),
            cannot_split=reason,
            label_agreement=agreement,
            ctc_calls=calls,
            labels=_kind(labels),
        )
        return whole if reason else _in_parts(trial, part, whole)


class _Trial:
    """One model and the ways to run it."""

    def __init__(self, setup: StepSetup, share: float) -> None:
        self.setup, self.share = setup, share

    def run(self, batch: Any, seed: int) -> float:
        pass_counter.count_passes(pass_counter.FORWARD * self.share)
        seed_all(seed)
        with torch.no_grad():
            return float(self.setup.compute_loss(self.setup.model, copy_batch(batch)))

    def with_gradient(self, batch: Any) -> tuple[float | None, int]:
        """The share of labels whose score the loss raises, and the calls of a CTC loss."""
        pass_counter.count_passes(pass_counter.FORWARD * self.share)
        labels = labels_or_none(self.setup.labels_of, batch)
        hook = OutputHook(self.setup.model, keep_graph=True)
        with torch.enable_grad(), hook, CtcSpy() as spy:
            loss = self.setup.compute_loss(self.setup.model, copy_batch(batch))
            live = hook.live
            if live is None or not live.requires_grad or not loss.requires_grad:
                return None, len(spy.calls)
            (gradient,) = torch.autograd.grad(loss, live, allow_unused=True)
        whole = isinstance(labels, torch.Tensor) and not labels.is_floating_point()
        fits = whole and gradient is not None and gradient.shape[:-1] == labels.shape
        return target_agreement(gradient, labels) if fits else None, len(spy.calls)


def _in_parts(trial: _Trial, batch: Any, whole: TraitTrials) -> TraitTrials:
    rows, half = whole.rows, whole.rows // 2
    first, second = (select_rows(batch, numbers, rows) for numbers in (range(half), range(half, rows)))
    try:
        losses = trial.run(first, 0), trial.run(second, 0)
    except Exception as error:
        return replace(whole, cannot_split=f"some of its rows do not run alone ({type(error).__name__})")
    weights = [(half, rows - half), *zip(_weights(first, trial.setup), _weights(second, trial.setup), strict=True)]
    shares = tuple(one / (one + other) for one, other in weights if one + other)
    trials = replace(whole, parts=losses, shares=shares)
    return trials if adds_up(trials) or rows < ROWS else replace(trials, interaction=_interaction(trial, batch, trials))


def _interaction(trial: _Trial, batch: Any, trials: TraitTrials) -> float | None:
    """Inputs exchanged inside the first half, inside the second, and inside both; None where they change nothing."""
    losses = []
    for order in ((1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)):
        other = copy_batch(batch)
        for value, moved in zip(input_leaves(other), input_leaves(select_rows(batch, order, ROWS)), strict=True):
            value.copy_(moved)
        losses.append(trial.run(other, 0) - trials.loss)
    first, second, both = losses
    least = min(abs(first), abs(second))
    return abs(both - first - second) / least if least > CLOSE * abs(trials.loss) else None


def _weights(batch: Any, setup: StepSetup) -> Iterator[int]:
    """By what a mean may be taken: labels that are scored, those that are left once they are shifted, and masks."""
    labels = labels_or_none(setup.labels_of, batch)
    known = isinstance(labels, torch.Tensor)
    yield int((labels != -100).sum()) if known else 0
    yield int((labels[:, 1:] != -100).sum()) if known and labels.dim() > 1 else 0
    masks = [leaf for leaf in iter_leaves(batch) if leaf.dim() == 2 and not leaf.is_floating_point()]
    yield max((int(mask.sum()) for mask in masks if bool(((mask == 0) | (mask == 1)).all())), default=0)


def _kind(labels: Any) -> str:
    if not isinstance(labels, torch.Tensor):
        return "none"
    return "float" if labels.is_floating_point() else "integer"
