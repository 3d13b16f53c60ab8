from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.loss import LossTrials

AGAINST = -0.9  # cosine of its gradient and that of cross-entropy: smoothing and weights leave it above 0.5


@probe(id="LOS016", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "LRN*", "GEN*"))
def loss_rewards_errors(loss_trials: LossTrials) -> Iterator[Finding]:
    """The loss falls when the scores of the right labels fall: its sign is turned round."""
    cosine = loss_trials.cosine
    if cosine is not None and cosine < AGAINST:
        yield Finding(
            where="the loss function",
            message=f"Loss: {loss_trials.value:.4f}; its gradient on the scores points against that of cross-entropy "
            f"(cosine {cosine:.3f}, expected above 0): every step makes the right labels less likely",
            fix="turn the sign of the loss: minimise the negative log-likelihood",
            measured={"loss": loss_trials.value, "cosine": cosine},
        )
