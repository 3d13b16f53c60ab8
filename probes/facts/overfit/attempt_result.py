"""The result of an attempt in plain figures, and how it is judged to have ended."""

import math
from dataclasses import replace

from probes.facts.loss.loss_calls import SCORES, LossCallSpy
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.attempt_state import MIXED
from probes.facts.overfit.idle_modules import frozen_parts
from probes.facts.overfit.outcome import SAME, loss_fell, uses_input
from probes.facts.overfit.target_checks import loss_depends_on_labels, target_label_agreement
from probes.facts.overfit.types import OverfitResult

OWN_TARGETS = "the loss does not depend on the labels: it has its own targets"


def result_of(learning: OverfitAttempt, note: str) -> OverfitResult:
    """What the attempt has shown so far."""
    return _judged(_result(learning, note))


def _judged(found: OverfitResult) -> OverfitResult:
    """A loss of another kind has a lowest value that nobody knows: one that falls and follows its input has learnt.

    So has one with all labels right, though soft targets keep the cross-entropy up.
    """
    if found.has_own_targets and not (found.learnt and found.uses_input):
        return replace(found, ended=OWN_TARGETS)
    unknown = found.cross_entropy is None and found.ctc is None and found.loss_fell
    soft = found.accuracy == 1.0 and found.loss_fell
    short = found.ended in ("stuck", "still falling") and found.uses_input is not False
    return replace(found, ended="learnt") if short and (unknown or soft) else found


def _result(learning: OverfitAttempt, note: str) -> OverfitResult:
    """The plain figures; the inputs are swapped here where the run ended before it came to that."""
    subject, model, labels_of = learning.subject, learning.subject.model, learning.subject.labels_of
    agreement = target_label_agreement(learning, labels_of)
    others = agreement is not None and agreement < 1.0
    mixed = False
    if others and (drawn := learning.find_redrawn_labels()):  # each time the same ones?
        mixed = drawn == MIXED and learning.ended == "learnt"  # learned with one draw of rows and labels
        learning.is_random |= mixed
        learning.ended = learning.ended if mixed else drawn
    if learning.swapped is None or learning.ended != "learnt":
        learning.evaluate_swapped()
    ignores = learning.swapped is not None and learning.ended != "learnt" and learning.ignores_inputs(SAME)
    found = replace(
        _figures(learning),
        unigram=learning.unigram,
        prefix_entropy=learning.prefix_entropy,
        reads_labels=subject.reads_labels,
        optimized_tensors=len(learning.stepper.weights),
        trainable=sum(weight.requires_grad for weight in model.parameters()),
        frozen=frozen_parts(model),
        target_agreement=None if mixed or learning.ended == MIXED else agreement,
        has_own_targets=others and not loss_depends_on_labels(learning, labels_of),
        ignores_inputs=ignores,
        ctc=learning.ctc,
        notes=(note,),
    )
    if learning.swapped is not None:
        loss, swapped = learning.swapped
        accuracy, nats = swapped.accuracy, swapped.cross_entropy
        found = replace(found, swapped=loss, swapped_accuracy=accuracy, swapped_cross_entropy=nats)
    return _with_scores(replace(found, loss_fell=loss_fell(found), uses_input=uses_input(found)), learning)


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
        is_random=learning.is_random,
        nonfinite=learning.nonfinite,
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
        loss_call=last,
        bound=bound,
        classes=last.classes,
    )
