from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect

AFTER = ("DAT049", "LAB02[23]", "LOS*", "GRD*", "LRN*", "GEN*")


@probe(id="LAB021", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def attention_mask_hides_input(padding_effect: PaddingEffect) -> Findings:
    """The attention mask masks out positions that contain input."""
    for mask in padding_effect.masks:
        lost = mask.hidden or max(0, mask.own - mask.in_batch)
        if lost:
            case = "alone" if mask.hidden else f"padded to {padding_effect.lengths[1]}"
            yield Finding(
                where=mask.name,
                message=f"a row of length {padding_effect.lengths[0]}, {case}, has {lost} input positions that are "
                "masked out, expected none",
                fix="set the mask to 1 for input and 0 for padding; only torch.nn modules use the inverse "
                "(key_padding_mask)",
                measured={"hidden": lost, "length": padding_effect.lengths[0]},
            )
