"""Whether a few rows of the first batch can be learnt by heart, and from what."""

import time
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.overfit.types import OverfitResult

if TYPE_CHECKING:
    from torch.nn import Module

SECONDS = 240  # at most; a healthy model of the demo takes a tenth of it
ROWS = 4  # that are collated twice


@provider
def overfit_curve(
    model: "Module",
    batch: Any,
    drawn_batches: Any = None,
    compute_loss: Any = None,
    labels_of: Any = None,
    inputs_of: Any = None,
    optimizer: Any = None,
    trainer: Any = None,
    generate: Any = None,
    decode: Any = None,
) -> OverfitResult:
    """A few rows learnt by heart under the observer, with what was measured on the way."""
    from probes.facts.core.model_output import NoLoss, labels_of_batch, loss_of_output
    from probes.facts.overfit.overfit import overfit
    from probes.facts.overfit.row_selection import NothingToLearn, is_language_model_batch, select_overfit_rows
    from probes.facts.overfit.stepper import OverfitSetup, groups_of

    read, batches = labels_of or labels_of_batch, list(drawn_batches or (batch,))
    try:
        lesson = select_overfit_rows(batches, read)
        reads = is_language_model_batch(lesson.batches[0], read(lesson.batches[0]))
        loss, until = compute_loss or loss_of_output, time.perf_counter() + SECONDS
        groups = groups_of(model, optimizer)
        subject = OverfitSetup(model, lesson, loss, groups, inputs_of, read, reads, until, generate, decode)
        return overfit(subject, read, mutable_state_of(trainer), batches[:2])
    except (NothingToLearn, NoLoss) as reason:
        raise NotApplicable(str(reason)) from reason


@provider
def overfit_verdict(overfit_curve: OverfitResult) -> OverfitResult:
    """Judged: what was ended by the clock, or was still falling, is no verdict."""
    run = overfit_curve
    if not run.has_verdict:
        blank = f"; CTC is in its blank phase, {run.ctc.non_blank:.0%} of the frames are not blank" if run.ctc else ""
        told = f"cannot be said: {run.ended}; {run.updates} updates, {run.seconds:.0f} s, loss {run.first:.4g} → "
        raise (Unavailable if run.ended == "out of time" else NotApplicable)(f"{told}{run.final:.4g}{blank}")
    return run


@provider
def relabeled_rows(train_dataset: Any, collate: Any, labels_of: Any = None) -> str:
    """`same`, or the rows whose labels differ though their inputs do not, when they are collated twice."""
    from probes.facts.core.batch_rows import collated
    from probes.facts.core.fork import ChildRaised
    from probes.facts.core.model_output import labels_of_batch
    from probes.facts.overfit.row_selection import rows_with_changed_labels

    if not hasattr(train_dataset, "__getitem__") or not hasattr(train_dataset, "__len__"):
        raise NotApplicable("the training set has no items by number: it can only be run through")
    numbers = list(range(min(ROWS, len(train_dataset))))
    try:
        one, other = collated(train_dataset, [numbers, numbers], collate)
    except ChildRaised as reason:
        raise NotApplicable(f"items cannot be collated: {reason}") from reason
    differ = rows_with_changed_labels(one, other, labels_of or labels_of_batch)
    return f"{differ} of the first {len(numbers)} rows" if differ else "same"
