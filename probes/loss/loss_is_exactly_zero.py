from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import FirstLoss


@probe(id="LOS002", stage=Stage.LOSS, severity=Severity.ERROR, explains=("GRD*", "LRN*", "GEN*"))
def loss_is_exactly_zero(first_loss: FirstLoss) -> Findings:
    """The loss of the first batch is exactly zero, so nothing is learned."""
    if first_loss.value != 0.0:
        return
    book = first_loss.cross_entropy
    expected = f"{book:.4f}, the cross-entropy of these logits and labels" if book else "more than 0 before training"
    yield Finding(
        where="batch 0",
        message=f"Loss: 0.0000 with {first_loss.scored_tokens} labels to score, expected {expected}",
        fix="compute the loss over the labels that are not -100; do not return a constant or a fully masked mean",
        measured={"loss": 0.0, "scored_tokens": first_loss.scored_tokens, "cross_entropy": book},
    )
