"""The same row alone and padded."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.collation.types import CollatedSample
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import SpecialIds
from probes.facts.padding.types import PaddingEffect


@provider
def padding_effect(
    step_setup: StepSetup,
    drawn_batches: tuple[Any, ...] = (),
    collated_sample: CollatedSample | None = None,
    train_dataset: Any = None,
    collate: Any = None,
    special_ids: SpecialIds | None = None,
) -> PaddingEffect:
    """The shortest of the collated items alone and beside the longest; else a row of a batch, cut at its padding."""
    from probes.facts.padding.compare import compare
    from probes.facts.padding.cut_rows import cut_from_batch

    try:
        return _collated_effect(step_setup, collated_sample, train_dataset, collate)
    except NotApplicable:
        if not drawn_batches:
            raise
        padding = special_ids.padding if special_ids else ()
        batches = cut_from_batch(drawn_batches, step_setup.labels_of, padding)
    try:
        return compare(step_setup, batches)
    except (RuntimeError, ValueError, IndexError) as reason:  # the whole batch ran: a part of it need not
        raise NotApplicable(f"a part of a batch raised {type(reason).__name__}: {reason}") from reason


def _collated_effect(setup: StepSetup, sample: CollatedSample | None, dataset: Any, collate: Any) -> PaddingEffect:
    from probes.facts.core.fork import ChildRaised
    from probes.facts.padding.compare import compare
    from probes.facts.padding.padded_batches import collate_padded

    if sample is None or dataset is None or collate is None:
        raise NotApplicable("there are no items to collate and no batches")
    try:
        return compare(setup, collate_padded(dataset, sample.shortest, sample.longest, collate))
    except ChildRaised as reason:
        raise Unavailable(str(reason)) from reason
    except (RuntimeError, ValueError, IndexError) as reason:
        raise NotApplicable(f"a batch of one or two rows raised {type(reason).__name__}: {reason}") from reason
