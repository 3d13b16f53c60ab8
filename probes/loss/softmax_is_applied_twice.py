from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import FirstLoss
from probes.facts.loss.types import LossTrials
from probes.reporting.probabilities import are_probabilities

TAKES_SCORES = ("cross_entropy", "cross_entropy_loss", "log_softmax")


@probe(id="LOS008", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "LRN*", "GEN*"))
def softmax_is_applied_twice(perturbed_losses: LossTrials, first_loss: FirstLoss) -> Findings:
    """Softmax is applied twice: cross-entropy receives probabilities instead of logits."""
    logits = first_loss.logits
    in_model = logits is not None and logits.minimum >= 0 and logits.highest_sum - logits.lowest_sum < 0.01
    end = "at the end of the model" if in_model else "before the loss"
    place = "the model outputs them" if in_model else "the model outputs logits"
    for heard in perturbed_losses.loss_calls:
        if heard.function in TAKES_SCORES and are_probabilities(heard):
            yield Finding(
                where=heard.function,
                message=f"{heard.function} receives {heard.classes} values from {heard.lowest:.2g} to "
                f"{heard.highest:.2g} that sum to 1 within {heard.sum_error:.0e}, expected logits; {place}",
                fix=f"pass raw logits: remove the softmax {end}",
                measured={"lowest": heard.lowest, "highest": heard.highest, "classes": heard.classes},
            )
            return
