from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials

LEAST, ROUNDINGS = 1e-4, 20  # relative: sums in another order differ by some hundred roundings


@probe(id="LOS007", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS006", "LOS011", "LRN*", "GEN*"))
def loss_depends_on_row_order(perturbed_losses: LossTrials) -> Findings:
    """The loss depends on the row order: logits of one row are compared with labels of another."""
    if perturbed_losses.in_order is None or perturbed_losses.other_labels is None:  # without labels, rows may be pairs
        return
    one, again, other = perturbed_losses.in_order
    slack = max(LEAST, ROUNDINGS * perturbed_losses.eps)
    if abs(other - one) <= max(10 * abs(again - one), slack * abs(one)):
        return
    yield Finding(
        where="the loss function",
        message=f"Loss: {one:.5g}, and {other:.5g} with two rows swapped, expected the same (repeated in the same "
        f"order: {again:.5g})",
        fix="use the same layout for logits and labels before flattening: both (batch, time), not (time, batch)",
        measured={"loss": one, "in_other_order": other, "again": again},
        # losses over pairs of neighbouring rows are at home where no label stands beside a score
        severity=None if perturbed_losses.cross_entropy is not None else Severity.WARNING,
    )
