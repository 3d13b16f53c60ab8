from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import Weights


@probe(
    id="PAR008",
    stage=Stage.PARAMETERS,
    severity=Severity.ERROR,
    explains=("LAB*", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*"),
)
def weights_are_not_finite(initial_weights: Weights) -> Findings:
    """Weights or buffers contain NaN or Inf before the first step."""
    for row in initial_weights.rows:
        if row.nan or row.infinite:
            yield Finding(
                where=row.name,
                message=f"{row.nan} NaN and {row.infinite} Inf in its {row.size:,} values before the first step",
                fix="initialize this parameter, or load it from a checkpoint saved before the run diverged",
                measured={"nan": row.nan, "infinite": row.infinite, "size": row.size},
            )
    for name in initial_weights.nan_buffers:
        yield Finding(
            where=name,
            message="this buffer contains NaN before the first step, expected finite values",
            fix="reset the running statistics, or load a checkpoint saved before the run diverged",
        )
