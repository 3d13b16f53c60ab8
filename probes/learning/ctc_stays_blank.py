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
    run, ctc = overfit_verdict, overfit_verdict.ctc
    if run.learnt or ctc is None or ctc.updates < UPDATES or ctc.varies > STILL:
        return
    if ctc.loss < BELOW * ctc.floor:
        return
    yield Finding(
        where="ctc_loss",
        message=f"{ctc.non_blank:.1%} of the frames are not blank after {ctc.updates} updates; the CTC loss went "
        f"{ctc.first:.4g} → {ctc.loss:.4g} for each label, its frames differ by {ctc.varies:.1g}, and one "
        f"answer for all of them reaches {ctc.floor:.4g}",
        fix="look at what the CTC head reads and aligns: encoder output, frame lengths, the blank's number, targets",
        measured={"spoken": ctc.non_blank, "loss": ctc.loss, "floor": ctc.floor, "updates": ctc.updates},
    )
