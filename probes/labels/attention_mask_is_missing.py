from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect


@probe(id="LAB020", stage=Stage.LABELS, severity=Severity.WARNING)
def attention_mask_is_missing(padding_effect: PaddingEffect) -> Iterator[Finding]:
    """The attention mask is missing from the batches, so the model attends to padding."""
    if padding_effect.differs and padding_effect.mask_forgotten:
        yield Finding(
            where=padding_effect.accepted_masks[0],
            message=f"a row of {padding_effect.lengths[0]} padded to {padding_effect.lengths[1]} has other scores "
            f"than alone, by {padding_effect.score_change:.2g} of their spread, expected below 0.0001; forward takes "
            f"{padding_effect.accepted_masks[0]}, the batch holds none, and the rows part in "
            f"{padding_effect.module or 'the model'}",
            fix=(
                f"return {padding_effect.accepted_masks[0]} from the collator (return_attention_mask=True in "
                "feature extractors)"
            ),
            measured={"change": padding_effect.score_change, "module": padding_effect.module},
        )
