from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import LabelShift


@probe(id="LAB011", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB012", "LOS*", "LRN*", "GEN*"))
def decoder_inputs_are_not_shifted(label_shift: LabelShift) -> Findings:
    """Decoder inputs are not shifted: the decoder receives the label that it has to predict."""
    shift = label_shift
    if shift.label_offset is not None and shift.label_offset < 1:
        yield Finding(
            where="batch 0",
            message="at every position the decoder input is the label to predict, expected the previous label: "
            f"inputs are shifted by {shift.input_shift}, logits by {shift.target_shift}, so the model learns to copy",
            fix="shift the decoder inputs right by one, with the start token first; do not change the labels",
            measured={"ahead": shift.label_offset, "inputs": shift.input_shift, "scores": shift.target_shift},
        )
