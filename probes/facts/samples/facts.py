"""Rows to look at, for `diagnose samples`."""

from typing import Any

from diagnose.common.provider import provider
from probes.facts.core.step_setup import LabelsOf
from probes.facts.samples.types import Samples


@provider
def sample_count() -> int:
    """How many rows; the command says another number."""
    return 10


@provider(reported=True)
def sample_rows(
    train_batches: Any,
    labels_of: LabelsOf,
    sample_count: int,
    train_dataset: Any = None,
    collate: Any = None,
    tokenizer: Any = None,
    decode: Any = None,
) -> Samples:
    """The first rows of the first batches, with text, labels, inputs and audio."""
    from probes.facts.samples.read_samples import SampleSource, read_samples

    return read_samples(SampleSource(train_batches, labels_of, train_dataset, collate, tokenizer, decode), sample_count)
