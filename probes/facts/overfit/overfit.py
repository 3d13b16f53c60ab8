"""Overfit a few rows, then test them with swapped inputs, in train mode, and with frozen modules unfrozen."""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_output import NoLoss, labels_or_none
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.attempt_result import result_of
from probes.facts.overfit.detail_types import IdleModule
from probes.facts.overfit.idle_modules import generate_rows, idle_parts
from probes.facts.overfit.loss_targets import LossTargetReader
from probes.facts.overfit.retries import retry_unfrozen, retry_with_batch_stats
from probes.facts.overfit.row_selection import OverfitBatch, select_overfit_rows, whole_batch
from probes.facts.overfit.stepper import OverfitSetup
from probes.facts.overfit.train_mode import disable_dropout, evaluate_in_train_mode
from probes.facts.overfit.types import OverfitResult


def rows_that_run(setup: StepSetup, batches: Sequence[Any], may_cut: bool) -> OverfitBatch:
    """`may_cut`: rows were not shown to depend on each other."""
    with suppress(NotApplicable):
        chosen = select_overfit_rows(batches, setup.labels_of, may_cut)
        if all(_runs(setup, batch) for batch in chosen.batches):
            return chosen
    return whole_batch(batches[0], setup.labels_of)


def has_loss(setup: StepSetup, batch: Any) -> bool:
    """Whether the run says how its loss is computed; else only its own step knows."""
    with suppress(NoLoss):
        _runs(setup, batch)
        return True
    return False


def _runs(setup: StepSetup, batch: Any) -> bool:
    """Whether the loss of this batch can be computed and is finite: a graph is no graph without some of its nodes."""
    pass_counter.count_passes(pass_counter.FORWARD)
    try:
        with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
            return math.isfinite(float(setup.compute_loss(setup.model, copy_batch(batch))))
    except NoLoss:
        raise
    except Exception:
        return False


DRAWS = 3  # of a random loss: a layer that one draw leaves out is used by another
LARGE = 0.1  # of what trains: smaller parts without a gradient are left to the gradients' own stage


def overfit(subject: OverfitSetup, more: Sequence[Any] = ()) -> OverfitResult:
    """`more`: batches that may reach parts which these rows do not. Nothing of it stays."""
    start, model = time.perf_counter(), subject.model
    labels = labels_or_none(subject.labels_of, subject.selection.batches[0])
    with restore_afterwards(model, others=subject.also_restore) as before, LossTargetReader(model, labels) as reader:
        modes = {module: module.training for module in model.modules()} if model.training else {}
        note = disable_dropout(model)
        modes = modes or dict.fromkeys(model.modules(), True)
        learning = OverfitAttempt(subject, reader).learn()
        found = result_of(learning, note)
        found = replace(found, relabelled=max(learning.changes, 0), idle=_idle(learning, more))
        if learning.ended == "learnt" and found.uses_input is not False:
            generated = generate_rows(subject, (time.perf_counter() - start) / max(len(found.curve), 1))
            found = replace(found, generated=generated)
            if not learning.is_random:  # else the loss of other draws says nothing of dropout
                found = replace(found, training=evaluate_in_train_mode(learning, modes, found))
        elif learning.ended == "stuck" and found.optimized_tensors and not learning.is_random:
            found = replace(found, training=retry_with_batch_stats(subject, reader, before, found))
        short = learning.ended in ("stuck", "still falling") and not found.learnt and found.optimized_tensors
        if short and found.frozen and found.training is None and found.most_trains:
            found = replace(found, unfrozen_trial=retry_unfrozen(subject, reader, found, before))
        return replace(found, seconds=time.perf_counter() - start)


def _idle(learning: OverfitAttempt, more: Sequence[Any]) -> tuple[IdleModule, ...]:
    """Idle modules, checked again with other batches: an expert may not be meant for these rows."""
    model, groups = learning.subject.model, learning.subject.groups
    found = idle_parts(model, learning.reached, groups)
    if any(part.share >= LARGE for part in found) and more and len(learning.curve) > 2:
        selection = replace(learning.subject.selection, batches=tuple(more))
        further = OverfitAttempt(replace(learning.subject, selection=selection), learning.reader)
        for further.stepper.draw in range(1, DRAWS + 1 if learning.is_random else 2):
            further.run_pass()
        found = idle_parts(model, learning.reached | further.reached, groups)
    return found
