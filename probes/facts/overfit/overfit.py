"""The whole of it: rows are learnt by heart, then asked with other inputs, in training mode, and with parts thawed."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from probes.facts.core.batch_rows import LabelsOf
from probes.facts.core.observer import observed
from probes.facts.loss.loss_calls import Ears
from probes.facts.loss.scaled_head import SCORES
from probes.facts.overfit.attempt import Learning
from probes.facts.overfit.attempt_state import MIXED
from probes.facts.overfit.generated_rows import said
from probes.facts.overfit.idle_modules import frozen_parts, idle_parts
from probes.facts.overfit.loss_targets import open_eyes
from probes.facts.overfit.module_modes import quieten
from probes.facts.overfit.retries import thawed, with_batch_statistics
from probes.facts.overfit.stepper import Subject
from probes.facts.overfit.target_checks import follows_labels, share_of_labels
from probes.facts.overfit.train_mode import in_training
from probes.facts.overfit.types import Idle, Overfit

LARGE = 0.1  # of what trains: smaller parts without a gradient are left to the gradients' own stage
NOTHING = 0.05  # of the first loss
TAUGHT = "the loss does not follow the labels: it has a teacher of its own"


def overfit(subject: Subject, labels_of: LabelsOf, others: Iterable[Any] = (), more: Sequence[Any] = ()) -> Overfit:
    """`more`: batches that may reach parts which these rows do not. Nothing of it stays."""
    start, model = time.perf_counter(), subject.model
    with observed(model, others=others) as before, open_eyes(model) as eyes:
        modes = {module: module.training for module in model.modules()} if model.training else {}
        note = quieten(model)
        modes = modes or dict.fromkeys(model.modules(), True)
        learning = Learning(subject, eyes).learn()
        found = _ended(_told(learning, labels_of, note))
        found = replace(found, relabelled=max(learning.changes, 0), idle=_idle(learning, more))
        if learning.ended == "learnt" and found.listens is not False:
            spoken = said(subject, (time.perf_counter() - start) / max(len(found.curve), 1))
            found = replace(found, said=spoken, training=in_training(learning, modes, found))
        elif learning.ended == "stuck" and found.held:
            found = replace(found, training=with_batch_statistics(subject, eyes, before, found))
        if learning.ended == "stuck" and found.frozen and found.held and found.training is None:
            found = replace(found, thawed=thawed(subject, eyes, found, before))
        return replace(found, seconds=time.perf_counter() - start)


def _ended(found: Overfit) -> Overfit:
    """A loss of another kind has a lowest value that nobody knows: one that falls and follows its input has learnt.

    So has one that comes to nothing with all labels right, though soft targets keep the cross-entropy up.
    """
    if found.taught and not (found.learnt and found.listens):
        return replace(found, ended=TAUGHT)
    unknown = found.book is None and found.ctc is None and found.fell
    nothing = found.accuracy == 1.0 and abs(found.final) < NOTHING * abs(found.first)
    short = found.ended in ("stuck", "still falling") and found.listens
    return replace(found, ended="learnt") if short and (unknown or nothing) else found


def _told(learning: Learning, labels_of: LabelsOf, note: str) -> Overfit:
    """The plain figures. With inputs exchanged also where the run ended before that was asked."""
    asked = share_of_labels(learning, labels_of)
    others = asked is not None and asked < 1.0
    if others:  # each time the same ones?
        learning.ended = learning.draws_anew() or learning.ended
    if learning.swapped is None or learning.ended != "learnt":
        learning.swap()
    subject, model = learning.subject, learning.subject.model
    found = replace(
        _figures(learning),
        unigram=learning.unigram,
        blind=learning.blind,
        reads_labels=subject.reads_labels,
        held=len(learning.stepper.weights),
        trainable=sum(weight.requires_grad for weight in model.parameters()),
        frozen=frozen_parts(model),
        asked=None if learning.ended == MIXED else asked,
        taught=others and not follows_labels(learning, labels_of),
        ctc=learning.ctc,
        notes=(note,),
    )
    if learning.swapped is not None:
        loss, seen = learning.swapped
        found = replace(found, swapped=loss, swapped_accuracy=seen.accuracy, swapped_book=seen.book)
    return _with_scores(found, learning)


def _figures(learning: Learning) -> Overfit:
    """The curve, and where it ended."""
    seen, curve, lesson = learning.seen, tuple(learning.curve), learning.subject.lesson
    first, final = (curve[0], curve[-1]) if curve else (float("nan"), float("nan"))
    return Overfit(
        where=lesson.where,
        rows=max(len(lesson.labels), len(learning.first.asked)),
        curve=curve,
        books=tuple(learning.books),
        seconds=0.0,
        ended=learning.ended,
        rate=learning.pace.first,
        first=first,
        final=final,
        tokens=seen.tokens,
        classes=seen.classes,
        accuracy=seen.accuracy,
        book=seen.book,
    )


def _with_scores(found: Overfit, learning: Learning) -> Overfit:
    """The range of what reaches the loss, and the least loss that this range allows."""
    with Ears() as ears:
        learning.stepper.loss()
    learning.eyes.clear()
    heard = [one for one in ears.heard if one.function in SCORES and one.classes > 1]
    if not heard:
        return found
    last = heard[-1]
    bound = math.log1p((last.classes - 1) * math.exp(last.lowest - last.highest))
    return replace(
        found,
        scores=(last.lowest, last.highest),
        probabilities=last.are_probabilities,
        bound=bound,
        classes=last.classes,
    )


def _idle(learning: Learning, more: Sequence[Any]) -> tuple[Idle, ...]:
    """Looked at again with other batches before anybody is blamed: an expert may not be meant for these rows."""
    model, groups = learning.subject.model, learning.subject.groups
    found = idle_parts(model, learning.reached, groups)
    if any(part.share >= LARGE for part in found) and more and len(learning.curve) > 2:
        further = Learning(
            replace(learning.subject, lesson=replace(learning.subject.lesson, batches=tuple(more))), learning.eyes
        )
        further.look()
        found = idle_parts(model, learning.reached | further.reached, groups)
    return found
