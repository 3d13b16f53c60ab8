"""Batches drawn from the training set, and their labels."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.batches.types import BatchShape
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.types import DrawnBatches

COUNT = 4  # enough to meet rows of several lengths; probes on all of the data read the manifest


@provider
def batch_drawing(train_batches: Any) -> DrawnBatches:
    """The first batches, drawn so that loader, workers and random states do not notice."""
    from probes.facts.core.batches import draw

    drawn = draw(train_batches, COUNT)
    require(drawn.batches or drawn.failure, "train_batches gave no batch", Unavailable)
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
def batch_shape(model: Any, batch: Any, labels_of: LabelsOf) -> BatchShape:
    from probes.facts.batches.batch_shape import form_of

    return form_of(model, batch, labels_of)
