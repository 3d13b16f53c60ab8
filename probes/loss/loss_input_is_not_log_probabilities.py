from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials
from probes.reporting.probabilities import are_probabilities

TAKES_LOGS = ("nll_loss", "nll_loss_nd", "ctc_loss", "kl_div")
OFF = 0.05  # half precision leaves 0.01


@probe(id="LOS009", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "LRN*", "GEN*"))
def loss_input_is_not_log_probabilities(perturbed_losses: LossTrials) -> Findings:
    """A loss that expects log-probabilities receives logits or probabilities."""
    for heard in perturbed_losses.loss_calls:
        if heard.function in TAKES_LOGS and heard.classes > 1 and heard.log_sum_error > OFF:
            what = "probabilities" if are_probabilities(heard) else "raw logits"
            yield Finding(
                where=heard.function,
                message=f"{heard.function} receives {what} from {heard.lowest:.3g} to {heard.highest:.3g}, whose "
                f"logsumexp is off by {heard.log_sum_error:.3g}, expected log-probabilities (0)",
                fix="call log_softmax over the classes before this loss, once",
                measured={"lowest": heard.lowest, "highest": heard.highest, "logsumexp": heard.log_sum_error},
            )
            return
