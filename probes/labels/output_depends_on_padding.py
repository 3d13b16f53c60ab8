from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect


@probe(id="LAB023", stage=Stage.LABELS, severity=Severity.WARNING)
def output_depends_on_padding(padding_effect: PaddingEffect) -> Iterator[Finding]:
    """The model output for a row depends on the padding of its batch, although the mask is correct."""
    wrong = any(mask.hidden or mask.own != mask.beside for mask in padding_effect.masks)
    if not padding_effect.differs or wrong or padding_effect.mask_forgotten:
        return
    masks = ", ".join(mask.name for mask in padding_effect.masks)
    reason = (
        "the architecture itself: it averages over time, padding included, and no collator can mend that"
        if padding_effect.is_norm_over_time
        else f"it does not keep to {masks}"
        if masks
        else "the model takes no mask"
    )
    yield Finding(
        where=padding_effect.module or "the model",
        message=f"a row of {padding_effect.lengths[0]} padded to {padding_effect.lengths[1]} has other scores than "
        f"alone, by {padding_effect.score_change:.2g} of their spread, expected below 0.0001; they part "
        f"here{f' ({padding_effect.kind})' if padding_effect.kind else ''}: {reason}",
        fix="batch rows of like length together, or take a model whose norm does not run over time"
        if padding_effect.is_norm_over_time
        else "mask padding in this module",
        measured={"change": padding_effect.score_change, "module": padding_effect.module, "kind": padding_effect.kind},
        severity=Severity.NOTE if padding_effect.is_norm_over_time else None,
    )
