from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect
from probes.reporting.padding_finding import describe_change, is_norm_over_time, mask_is_missing, scores_differ

RECURRENT = ("RNN", "GRU", "LSTM")  # unpacked they learn to pass over padding, and many recipes leave it to them


@probe(id="LAB023", stage=Stage.LABELS, severity=Severity.WARNING)
def output_depends_on_padding(padding_effect: PaddingEffect) -> Findings:
    """The model output for a row depends on the padding of its batch, although the mask is correct."""
    effect, over_time = padding_effect, is_norm_over_time(padding_effect)
    wrong = any(mask.hidden or mask.own != mask.in_batch for mask in effect.masks)
    if not scores_differ(effect) or wrong or mask_is_missing(effect):
        return
    masks = ", ".join(mask.name for mask in effect.masks)
    is_recurrent = not masks and effect.kind in RECURRENT
    reason = f"it does not apply {masks}" if masks else "the model accepts no mask"
    fix = "apply the mask to padding in this module"
    if over_time:
        reason = "the architecture itself: it averages over time including padding, which a collator cannot fix"
        fix = "batch rows of similar length together, or use a model whose normalization does not average over time"
    elif is_recurrent:
        reason = "the batch has no mask, and a recurrent layer reads the padding like any other input"
        fix = "pack the rows (pack_padded_sequence), or batch rows of similar length together"
    yield Finding(
        where=effect.module or "the model",
        message=f"{describe_change(effect)}; the outputs first differ "
        f"here{f' ({effect.kind})' if effect.kind else ''}: {reason}",
        fix=fix,
        measured={"change": effect.score_change, "module": effect.module, "kind": effect.kind},
        severity=Severity.NOTE if over_time or is_recurrent else None,
    )
