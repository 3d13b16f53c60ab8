from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult
from probes.reporting.first_names import first_names


@probe(id="LRN013", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def gradient_becomes_nonfinite(overfit_curve: OverfitResult) -> Findings:
    """Gradients or weights become NaN or infinite after some updates, although the loss was falling."""
    broken, run = overfit_curve.nonfinite, overfit_curve
    if broken is None or not broken.update:  # in the first step it is told of the first step
        return
    what = "weights" if run.by_own_step else "gradients"
    yield Finding(
        where=broken.names[0],
        message=f"after {broken.update} updates on one batch, {what} of {len(broken.names)} parameters are not "
        f"finite: {first_names(list(broken.names))}; the loss went {run.first:.4g} → {broken.loss:.4g}, so the "
        "learning rate is not the cause",
        fix="find the sqrt, log, norm or division whose input becomes zero, and add an epsilon to it",
        measured={"update": broken.update, "loss": broken.loss, "parameters": len(broken.names)},
    )
