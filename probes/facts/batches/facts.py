"""Batches drawn from the training set, and their labels."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.batches.types import BatchScan, BatchShape, BatchValues, PickedBatch
from probes.facts.core.require import require, require_items
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.types import DrawnBatches

COUNT = 4  # enough to meet rows of several lengths; probes on all of the data read the manifest


@provider
def batch_drawing(train_batches: Any) -> DrawnBatches:
    """The first batches, drawn so that loader, workers and random states do not notice."""
    from probes.facts.core.batches import draw

    drawn = draw(train_batches, COUNT)
    require(drawn.batches or drawn.failure, "train_batches returned no batch", Unavailable)
    return drawn


@provider
def drawn_batches(batch_drawing: DrawnBatches) -> tuple[Any, ...]:
    require(batch_drawing.failure is None, batch_drawing.failure, Unavailable)
    return batch_drawing.batches


@provider
def batch(drawn_batches: tuple[Any, ...]) -> Any:
    """The first batch; instruments work on a copy of it."""
    return drawn_batches[0]


@provider
def batch_scan(train_batches: Any, labels_of: LabelsOf) -> BatchScan:
    """Many more batches, each looked at once; those that stand out are kept."""
    from probes.facts.batches.scan import scan
    from probes.facts.core.fork import ChildRaised

    try:
        return scan(train_batches, labels_of)
    except ChildRaised as error:
        return BatchScan(0, complete=False, failure=error.failure("drawing"))


@provider
def bad_items(batch_scan: BatchScan, train_dataset: Any, collate: Any) -> tuple[PickedBatch, ...]:
    """Items with NaN or Inf, spread over a training set of which the scan saw only a part; collated."""
    from probes.facts.batches.scan_items import collate_bad_items

    require(not batch_scan.complete, "the scan covered all batches of an epoch")
    require_items(train_dataset)
    return require(collate_bad_items(train_dataset, collate), "every value of the items read is finite")


@provider
def batch_shape(model: Any, batch: Any, labels_of: LabelsOf) -> BatchShape:
    from probes.facts.batches.batch_shape import form_of

    return form_of(model, batch, labels_of)


@provider(reported=True)
def batch_values(batch: Any, labels_of: LabelsOf) -> BatchValues:
    """Shapes, types, range, mean and std of the first batch, and what its labels hold."""
    from probes.facts.batches.batch_shape import values_of

    return values_of(batch, labels_of)
