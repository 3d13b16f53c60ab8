"""Overfit a few rows, then test them with swapped inputs, in train mode, and with frozen modules unfrozen."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from probes.facts.core.observer import restore_afterwards
from probes.facts.loss.loss_calls import LossCallSpy
from probes.facts.loss.scaled_head import SCORES
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.attempt_state import MIXED
from probes.facts.overfit.detail_types import IdleModule
from probes.facts.overfit.generated_rows import generate_rows
from probes.facts.overfit.idle_modules import frozen_parts, idle_parts
from probes.facts.overfit.loss_targets import LossTargetReader
from probes.facts.overfit.module_modes import disable_dropout
from probes.facts.overfit.retries import retry_unfrozen, retry_with_batch_stats
from probes.facts.overfit.stepper import OverfitSetup
from probes.facts.overfit.target_checks import loss_depends_on_labels, target_label_agreement
from probes.facts.overfit.train_mode import evaluate_in_train_mode
from probes.facts.overfit.types import OverfitResult

LARGE = 0.1  # of what trains: smaller parts without a gradient are left to the gradients' own stage
NOTHING = 0.05  # of the first loss
TAUGHT = "the loss does not follow the labels: it has a teacher of its own"


def overfit(subject: OverfitSetup, more: Sequence[Any] = ()) -> OverfitResult:
    """`more`: batches that may reach parts which these rows do not. Nothing of it stays."""
    start, model = time.perf_counter(), subject.model
    with restore_afterwards(model, others=subject.also_restore) as before, LossTargetReader(model) as reader:
        modes = {module: module.training for module in model.modules()} if model.training else {}
        note = disable_dropout(model)
        modes = modes or dict.fromkeys(model.modules(), True)
        learning = OverfitAttempt(subject, reader).learn()
        found = _ended(_result(learning, note))
        found = replace(found, relabelled=max(learning.changes, 0), idle=_idle(learning, more))
        if learning.ended == "learnt" and found.uses_input is not False:
            generated = generate_rows(subject, (time.perf_counter() - start) / max(len(found.curve), 1))
            found = replace(found, generated=generated, training=evaluate_in_train_mode(learning, modes, found))
        elif learning.ended == "stuck" and found.optimized_tensors:
            found = replace(found, training=retry_with_batch_stats(subject, reader, before, found))
        if learning.ended == "stuck" and found.frozen and found.optimized_tensors and found.training is None:
            found = replace(found, unfrozen_trial=retry_unfrozen(subject, reader, found, before))
        return replace(found, seconds=time.perf_counter() - start)


def _ended(found: OverfitResult) -> OverfitResult:
    """A loss of another kind has a lowest value that nobody knows: one that falls and follows its input has learnt.

    So has one that comes to nothing with all labels right, though soft targets keep the cross-entropy up.
    """
    if found.has_own_targets and not (found.learnt and found.uses_input):
        return replace(found, ended=TAUGHT)
    unknown = found.cross_entropy is None and found.ctc is None and found.loss_fell
    nothing = found.accuracy == 1.0 and abs(found.final) < NOTHING * abs(found.first)
    short = found.ended in ("stuck", "still falling") and found.uses_input
    return replace(found, ended="learnt") if short and (unknown or nothing) else found


def _result(learning: OverfitAttempt, note: str) -> OverfitResult:
    """The plain figures; the inputs are swapped here where the run ended before it came to that."""
    subject, model, labels_of = learning.subject, learning.subject.model, learning.subject.labels_of
    agreement = target_label_agreement(learning, labels_of)
    others = agreement is not None and agreement < 1.0
    if others:  # each time the same ones?
        learning.ended = learning.find_redrawn_labels() or learning.ended
    if learning.swapped is None or learning.ended != "learnt":
        learning.evaluate_swapped()
    found = replace(
        _figures(learning),
        unigram=learning.unigram,
        prefix_entropy=learning.prefix_entropy,
        reads_labels=subject.reads_labels,
        optimized_tensors=len(learning.stepper.weights),
        trainable=sum(weight.requires_grad for weight in model.parameters()),
        frozen=frozen_parts(model),
        target_agreement=None if learning.ended == MIXED else agreement,
        has_own_targets=others and not loss_depends_on_labels(learning, labels_of),
        ctc=learning.ctc,
        notes=(note,),
    )
    if learning.swapped is not None:
        loss, swapped = learning.swapped
        accuracy, nats = swapped.accuracy, swapped.cross_entropy
        found = replace(found, swapped=loss, swapped_accuracy=accuracy, swapped_cross_entropy=nats)
    return _with_scores(found, learning)


def _figures(learning: OverfitAttempt) -> OverfitResult:
    """The curve, and where it ended."""
    totals, curve, selection = learning.totals, tuple(learning.curve), learning.subject.selection
    first, final = (curve[0], curve[-1]) if curve else (float("nan"), float("nan"))
    return OverfitResult(
        where=selection.where,
        rows=max(len(selection.labels), len(learning.first.targets)),
        curve=curve,
        cross_entropies=tuple(learning.cross_entropies),
        seconds=0.0,
        ended=learning.ended,
        rate=learning.rate_control.first,
        first=first,
        final=final,
        tokens=totals.tokens,
        classes=totals.classes,
        accuracy=totals.accuracy,
        cross_entropy=totals.cross_entropy,
    )


def _with_scores(found: OverfitResult, learning: OverfitAttempt) -> OverfitResult:
    """The range of what reaches the loss, and the least loss that this range allows."""
    with LossCallSpy() as spy:
        learning.stepper.loss()
    learning.reader.clear()
    calls = [one for one in spy.calls if one.function in SCORES and one.classes > 1]
    if not calls:
        return found
    last = calls[-1]
    bound = math.log1p((last.classes - 1) * math.exp(last.lowest - last.highest))
    return replace(
        found,
        scores=(last.lowest, last.highest),
        probabilities=last.are_probabilities,
        bound=bound,
        classes=last.classes,
    )


def _idle(learning: OverfitAttempt, more: Sequence[Any]) -> tuple[IdleModule, ...]:
    """Idle modules, checked again with other batches: an expert may not be meant for these rows."""
    model, groups = learning.subject.model, learning.subject.groups
    found = idle_parts(model, learning.reached, groups)
    if any(part.share >= LARGE for part in found) and more and len(learning.curve) > 2:
        selection = replace(learning.subject.selection, batches=tuple(more))
        further = OverfitAttempt(replace(learning.subject, selection=selection), learning.reader)
        further.run_pass()
        found = idle_parts(model, learning.reached | further.reached, groups)
    return found
