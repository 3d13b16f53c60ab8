"""Whether a few rows of the first batch can be learnt by heart, and from what."""

import time
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require_items
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.overfit.types import OverfitResult

SECONDS = 240  # at most; a healthy model of the demo takes a tenth of it
ROWS = 4  # that are collated twice


@provider
def overfit_curve(
    update_setup: StepSetup, batch: Any, drawn_batches: Any = None, generate: Any = None, decode: Any = None
) -> OverfitResult:
    """A few rows learnt by heart under the observer, with what was measured on the way."""
    from probes.facts.overfit.overfit import overfit
    from probes.facts.overfit.row_selection import is_language_model_batch, select_overfit_rows
    from probes.facts.overfit.stepper import OverfitSetup, groups_of

    batches, read = list(drawn_batches or (batch,)), update_setup.labels_of
    selection = select_overfit_rows(batches, read)
    subject = OverfitSetup(
        **vars(update_setup),
        selection=selection,
        groups=groups_of(update_setup.model, update_setup.optimizer),
        reads_labels=is_language_model_batch(selection.batches[0], read(selection.batches[0])),
        until=time.perf_counter() + SECONDS,
        generate=generate,
        decode=decode,
    )
    return overfit(subject, batches[:2])


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
def relabeled_rows(train_dataset: Any, collate: Any, labels_of: LabelsOf) -> str:
    """`same`, or the rows whose labels differ though their inputs do not, when they are collated twice."""
    from probes.facts.core.batch_rows import collated
    from probes.facts.core.fork import ChildRaised
    from probes.facts.overfit.row_selection import rows_with_changed_labels

    require_items(train_dataset)
    numbers = list(range(min(ROWS, len(train_dataset))))
    try:
        one, other = collated(train_dataset, [numbers, numbers], collate)
    except ChildRaised as reason:
        raise NotApplicable(f"items cannot be collated: {reason}") from reason
    differ = rows_with_changed_labels(one, other, labels_of)
    return f"{differ} of the first {len(numbers)} rows" if differ else "same"
