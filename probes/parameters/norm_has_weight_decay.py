from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters

USUAL = 0.01  # AdamW's default, over all parameters the most common healthy code: what it takes is not seen in a run
LARGE = 0.1  # recipes that decay this much (GPT, LLaMA, ViT) all leave norms and biases out


@probe(id="PAR011", stage=Stage.PARAMETERS, severity=Severity.WARNING)
def norm_has_weight_decay(optimizer_parameters: Parameters) -> Findings:
    """Normalization layers and biases have weight decay, which pulls them toward zero."""
    rows = [row for row in optimizer_parameters.rows if row.role and row.trainable and row.decay > USUAL]
    if rows:
        worst = max(rows, key=lambda row: row.decay)
        norms = sum(row.role == "norm" for row in rows)
        yield Finding(
            where=worst.name,
            message=f"{norms} parameters of norms and {len(rows) - norms} biases are under a weight decay of "
            f"{worst.decay:g}, expected 0 ({worst.module} in group {worst.groups[0]})",
            fix="put norms and biases into a group of their own with weight_decay 0, by the kind of module",
            measured={"norms": norms, "biases": len(rows) - norms, "decay": worst.decay},
            severity=None if worst.decay >= LARGE else Severity.NOTE,
        )
