from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect
from probes.reporting.padding_finding import scores_differ


@probe(id="LAB022", stage=Stage.LABELS, severity=Severity.WARNING)
def attention_mask_includes_padding(padding_effect: PaddingEffect) -> Findings:
    """The attention mask includes padding, so the model attends to it."""
    for mask in padding_effect.masks:
        if mask.in_batch > mask.own and scores_differ(padding_effect):
            yield Finding(
                where=mask.name,
                message=f"it attends to {mask.in_batch} positions for a row of length {mask.own} padded to "
                f"{padding_effect.lengths[1]}, expected {mask.own}; the logits change by "
                f"{padding_effect.score_change:.2g} standard deviations, expected less than 0.0001",
                fix="build the mask from the lengths before padding, not from the padded batch",
                measured={"let_through": mask.in_batch, "length": mask.own, "change": padding_effect.score_change},
            )
