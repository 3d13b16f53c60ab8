from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect


@probe(id="LAB022", stage=Stage.LABELS, severity=Severity.WARNING)
def attention_mask_includes_padding(padding_effect: PaddingEffect) -> Findings:
    """The attention mask includes padding, so the model attends to it."""
    for mask in padding_effect.masks:
        if mask.in_batch > mask.own and padding_effect.differs:
            yield Finding(
                where=mask.name,
                message=f"it lets {mask.in_batch} positions through for a row of {mask.own} that is padded to "
                f"{padding_effect.lengths[1]}, expected {mask.own}; its scores change by "
                f"{padding_effect.score_change:.2g} of their spread, expected below 0.0001",
                fix="make the mask from the lengths before padding, not from the padded batch",
                measured={"let_through": mask.in_batch, "length": mask.own, "change": padding_effect.score_change},
            )
