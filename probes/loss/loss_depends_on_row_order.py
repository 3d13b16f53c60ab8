from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials


@probe(id="LOS007", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS006", "LOS011", "LRN*", "GEN*"))
def loss_depends_on_row_order(perturbed_losses: LossTrials) -> Findings:
    """The loss depends on the row order: logits of one row are compared with labels of another."""
    if perturbed_losses.in_order is None:
        return
    one, again, other = perturbed_losses.in_order
    if abs(other - one) <= max(10 * abs(again - one), perturbed_losses.slack * abs(one)):
        return
    yield Finding(
        where="the loss function",
        message=f"Loss: {one:.5g}, and {other:.5g} with two rows changed about, expected the same (twice in one order: "
        f"{again:.5g})",
        fix="bring scores and labels to one layout before flattening: (rows, time), never (time, rows) beside it",
        measured={"loss": one, "in_other_order": other, "again": again},
        # losses over pairs of neighbouring rows are at home where no label stands beside a score
        severity=None if perturbed_losses.cross_entropy is not None else Severity.WARNING,
    )
