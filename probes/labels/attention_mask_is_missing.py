from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect


@probe(id="LAB020", stage=Stage.LABELS, severity=Severity.WARNING)
def attention_mask_is_missing(padding: PaddingEffect) -> Iterator[Finding]:
    """Batches hold no attention mask though the model takes one: padding is read as if it were input."""
    if padding.differs and padding.mask_forgotten:
        yield Finding(
            where=padding.takes[0],
            message=f"a row of {padding.lengths[0]} padded to {padding.lengths[1]} has other scores than alone, by "
            f"{padding.score_change:.2g} of their spread, expected below 0.0001; forward takes {padding.takes[0]}, the "
            f"batch holds none, and the rows part in {padding.module or 'the model'}",
            fix=f"return {padding.takes[0]} from the collator (return_attention_mask=True in feature extractors)",
            measured={"change": padding.score_change, "module": padding.module},
        )
