from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters

USUAL = 0.01  # AdamW's default, over all parameters the most common healthy code: what it takes is not seen in a run


@probe(id="PAR011", stage=Stage.PARAMETERS, severity=Severity.WARNING)
def norm_has_weight_decay(optimizer_parameters: Parameters) -> Findings:
    """Normalization layers and biases have weight decay, which pulls them toward zero."""
    known = [row for row in optimizer_parameters.rows if row.role and row.trainable and row.groups]
    left_out = sum(row.decay == 0 for row in known)  # an author who leaves some out means all of them
    rows = [row for row in known if row.decay > (0 if left_out else USUAL)]
    if rows:
        worst = max(rows, key=lambda row: row.decay)
        norms = sum(row.role == "norm" for row in rows)
        yield Finding(
            where=worst.name,
            message=f"{norms} parameters of normalization layers and {len(rows) - norms} biases have a weight decay "
            f"of {worst.decay:g}, expected 0 ({worst.module} in group {worst.groups[0]})"
            + (f"; {left_out} others have none" if left_out else ""),
            fix="put normalization layers and biases into a separate parameter group with weight_decay=0",
            measured={"norms": norms, "biases": len(rows) - norms, "decay": worst.decay},
            severity=None if left_out else Severity.NOTE,
        )
