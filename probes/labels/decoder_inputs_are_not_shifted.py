from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import LabelShift


@probe(id="LAB011", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB012", "LOS*", "LRN*", "GEN*"))
def decoder_inputs_are_not_shifted(label_shift: LabelShift) -> Findings:
    """Decoder inputs are not shifted: the decoder receives the label that it has to predict."""
    shift = label_shift
    if shift.label_offset is not None and shift.label_offset < 1:
        yield Finding(
            where="batch 0",
            message="at every position the decoder reads the very label that it is asked for, expected the one "
            f"before: its inputs are shifted by {shift.input_shift}, the scores by {shift.target_shift}, "
            "and it only learns to copy",
            fix="shift the decoder's inputs to the right by one, with the start token first; leave the labels alone",
            measured={"ahead": shift.label_offset, "inputs": shift.input_shift, "scores": shift.target_shift},
        )
