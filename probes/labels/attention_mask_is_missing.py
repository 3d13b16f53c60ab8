from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect
from probes.reporting.padding_finding import describe_change, mask_is_missing, scores_differ


@probe(id="LAB020", stage=Stage.LABELS, severity=Severity.WARNING)
def attention_mask_is_missing(padding_effect: PaddingEffect) -> Findings:
    """The attention mask is missing from the batches, so the model attends to padding."""
    if scores_differ(padding_effect) and mask_is_missing(padding_effect):
        mask = padding_effect.accepted_masks[0]
        yield Finding(
            where=mask,
            message=f"{describe_change(padding_effect)}; forward accepts {mask}, the batch has none, and the outputs "
            f"first differ in {padding_effect.module or 'the model'}",
            fix=f"return {mask} from the collator (return_attention_mask=True in feature extractors)",
            measured={"change": padding_effect.score_change, "module": padding_effect.module},
        )
