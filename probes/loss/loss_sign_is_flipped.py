from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials

AGAINST = -0.9  # cosine of its gradient and that of cross-entropy: smoothing and weights leave it above 0.5


@probe(id="LOS016", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "LRN*", "GEN*"))
def loss_sign_is_flipped(perturbed_losses: LossTrials) -> Findings:
    """The sign of the loss is flipped: minimizing it makes the correct labels less likely."""
    cosine, slope = perturbed_losses.cosine, perturbed_losses.ctc_slope
    if cosine is None and slope is not None and slope < 0:
        yield Finding(
            where="the loss function",
            message=f"Loss: {perturbed_losses.value:.4f}; it falls by {-slope:.3g} when the CTC loss rises by 1, "
            "expected a rise: every step makes the correct labels less likely",
            fix="flip the sign of the CTC loss: it is already a negative log-likelihood",
            measured={"loss": perturbed_losses.value, "slope": slope},
        )
    if cosine is not None and cosine < AGAINST:
        yield Finding(
            where="the loss function",
            message=f"Loss: {perturbed_losses.value:.4f}; its gradient at the logits is opposite to that of "
            f"cross-entropy (cosine {cosine:.3f}, expected above 0): every step makes the correct labels less likely",
            fix="flip the sign of the loss: minimize the negative log-likelihood",
            measured={"loss": perturbed_losses.value, "cosine": cosine},
        )
