from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials


@probe(id="LOS012", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "LRN*", "GEN*"))
def loss_broadcasts_labels(perturbed_losses: LossTrials) -> Findings:
    """The loss broadcasts logits and labels of different shapes against each other."""
    for heard in perturbed_losses.loss_calls:
        if heard.spread:
            one, other = (list(shape) for shape in heard.shapes)
            yield Finding(
                where=heard.function,
                message=f"{heard.function} receives shapes {one} and {other} and broadcasts them to "
                f"{list(heard.spread)}, expected equal shapes: each row is compared with the labels of all rows",
                fix="use equal shapes: logits.squeeze(-1) or labels.unsqueeze(-1)",
                measured={"scores": str(one), "labels": str(other), "made": str(list(heard.spread))},
            )
            return
