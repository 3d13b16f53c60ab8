from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import Gradients
from probes.reporting.first_names import first_names


@probe(id="GRD004", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def gradient_is_not_finite(first_gradients: Gradients) -> Findings:
    """Gradients of the first step contain NaN or Inf."""
    bad = [row.name for row in first_gradients.rows if not row.finite]
    if bad:
        yield Finding(
            where=bad[0],
            message=f"{len(bad)} of {len(first_gradients.rows)} gradients contain NaN or Inf, expected finite values: "
            f"{first_names(bad)}",
            fix="run diagnose nan-bisect on this batch: it names the operation where the first NaN/Inf appears",
            measured={"tensors": len(bad), "of": len(first_gradients.rows)},
        )
