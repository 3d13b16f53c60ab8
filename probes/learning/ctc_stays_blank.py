from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult

# One answer for all frames, the best there is, reaches `floor`: mostly blank, and a little of each letter. CTC goes
# through that state and may wait there for hundreds of updates, its frames differing all the while. Where they differ
# by rounding alone, it cannot leave.
BELOW = 0.9
STILL = 1e-3
UPDATES = 12


@probe(id="LRN011", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN001", "GEN*"))
def ctc_stays_blank(overfit_verdict: OverfitResult) -> Findings:
    """CTC keeps predicting blanks: its output is the same in every frame."""
    ctc = overfit_verdict.ctc
    if ctc is None or ctc.updates < UPDATES or ctc.varies > STILL:
        return
    if ctc.loss < BELOW * ctc.floor:
        return
    yield Finding(
        where="ctc_loss",
        message=f"{ctc.non_blank:.1%} of the frames are not blank after {ctc.updates} updates; the CTC loss per label "
        f"goes {ctc.first:.4g} → {ctc.loss:.4g}, its frames differ by {ctc.varies:.1g}, and a constant output reaches "
        f"{ctc.floor:.4g}",
        fix="check the inputs of the CTC loss: encoder output, input_lengths, blank id, targets",
        measured={"spoken": ctc.non_blank, "loss": ctc.loss, "floor": ctc.floor, "updates": ctc.updates},
    )
