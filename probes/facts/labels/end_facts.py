"""Whether the ends of texts are scored: of an encoder with a decoder, and of a decoder alone."""

from typing import Any

from diagnose.common.provider import provider
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import EndTokens


@provider
def scored_ends(
    drawn_batches: tuple[Any, ...],
    special_ids: SpecialIds,
    labels_of: LabelsOf,
    model: Any = None,
    end_tokens: EndTokens | None = None,
) -> EndTokens:
    """Of a decoder alone: rows that end with an end token, and whether their labels leave it out."""
    from probes.facts.labels.label_rows import masked_ends_of

    if end_tokens is not None:
        return end_tokens
    alone = getattr(getattr(model, "config", None), "is_encoder_decoder", None) is False
    require(alone, "the model does not say that it is a decoder alone")
    return require(masked_ends_of(drawn_batches, labels_of, special_ids), "no row of text ends with an end token")
