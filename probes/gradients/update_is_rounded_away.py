from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import Gradients

# Where half of the elements that have a gradient do not change, the usual update is below half the last digit of the
# usual weight. bfloat16 weights of a fine-tune at 1e-5: 3 % change; float32 at the same rate: all of them.
MOVING, STUCK = 0.5, 0.1
FAINT = 1e-6  # a gradient below it (a gate that starts shut) may be lost for now: that it vanishes is another probe's


@probe(id="GRD012", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def update_is_rounded_away(first_gradients: Gradients) -> Findings:
    """Updates are rounded away: they are too small for the precision of the weights."""
    rows = [row for row in first_gradients.rows if row.largest > FAINT and row.finite and row.rate]
    total = sum(row.size for row in rows)
    share = sum(row.size * (row.changed or 0.0) for row in rows) / max(total, 1)
    if not any(row.moved for row in rows) or not first_gradients.rounds or share >= MOVING:
        return
    worst = max(rows, key=lambda row: row.size * (1 - (row.changed or 0.0)))
    yield Finding(
        where=worst.name,
        message=f"{share:.1%} of the elements with a gradient change in an update with learning rate "
        f"{first_gradients.rate or 0:.2g}, expected nearly all; {worst.changed or 0:.1%} in {worst.name}",
        fix="keep the weights in float32 (with autocast for speed), or use a higher learning rate",
        measured={"changed": share, "tensors": len(rows), "rate": first_gradients.rate},
        severity=None if share < STUCK else Severity.WARNING,
    )
