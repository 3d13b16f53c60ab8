"""Whether a few rows of the first batch can be learnt by heart, and from what."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from diagnose.engine.traits import Trait
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.overfit.types import OverfitResult


@provider(evidence=("the proof of learning",))
def overfit_curve(
    update_setup: StepSetup,
    batch: Any,
    drawn_batches: Any = None,
    generate: Any = None,
    decode: Any = None,
    rows_are_independent: Trait | None = None,
    training_step: Any = None,
) -> OverfitResult:
    """A few rows learnt by heart under the observer, with what was measured on the way."""
    from probes.facts.overfit.entropy_floors import reads_its_labels
    from probes.facts.overfit.overfit import has_loss, overfit, rows_that_run
    from probes.facts.overfit.retries import overfit_by_own_steps
    from probes.facts.overfit.stepper import OverfitSetup, groups_of

    batches = list(drawn_batches or (batch,))
    if training_step is not None and not has_loss(update_setup, batch):
        return overfit_by_own_steps(update_setup, training_step, batch)
    selection = rows_that_run(update_setup, batches, rows_are_independent is None or rows_are_independent.holds)
    subject = OverfitSetup(
        **vars(update_setup),
        selection=selection,
        groups=groups_of(update_setup.model, update_setup.optimizer),
        reads_labels=reads_its_labels(selection.batches[0], update_setup.labels_of),
        generate=generate,
        decode=decode,
    )
    return overfit(subject, batches[:2])


@provider
def overfit_verdict(overfit_curve: OverfitResult) -> OverfitResult:
    """Judged: what was still falling is no verdict."""
    run = overfit_curve
    if not run.has_verdict:
        blank = f"; CTC is in its blank phase, {run.ctc.non_blank:.0%} of the frames are not blank" if run.ctc else ""
        told = f"{run.verdict}: {run.ended}; {run.updates} updates, loss {run.first:.4g} → {run.final:.4g}"
        raise NotApplicable(told + blank)
    return run


@provider
def relabeled_rows(train_batches: Any, labels_of: LabelsOf, train_dataset: Any = None, collate: Any = None) -> str:
    """`same`, or the rows whose labels differ though their inputs do not, when they are drawn twice."""
    from probes.facts.core.fork import ChildRaised
    from probes.facts.overfit.relabeled_rows import relabeled

    try:
        return relabeled(train_batches, labels_of, train_dataset, collate)
    except ChildRaised as reason:
        raise NotApplicable(f"rows cannot be drawn twice: {reason}") from reason
