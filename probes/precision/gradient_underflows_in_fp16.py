from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.reporting.precision_finding import describe_mode, judged_runs

HALF = 0.5  # more is lost than kept; healthy models lose at most 0.09 at the scaler's own scale (bench, precision)
SHOWN = 5


@probe(id="PRE003", stage=Stage.PRECISION, severity=Severity.WARNING, explains=("LRN*",))
def gradient_underflows_in_fp16(precision_comparison: PrecisionComparison) -> Findings:
    """Most gradients of a module underflow to zero in fp16 at the loss scale of the run."""
    scale = precision_comparison.scale
    run = next((run for run, _ in judged_runs(precision_comparison)), None)
    if scale is None or run is None:
        return
    lost = [share for share in run.gradients if share.lost > HALF and share.trains]
    if lost:
        worst = lost[0]
        more = f"; {len(lost) - 1} more modules are affected: {', '.join(s.module for s in lost[1:SHOWN])}"
        yield Finding(
            worst.module or "compute_loss",
            f"{describe_mode(run)}, {worst.lost:.0%} of its gradients underflow at a loss scale of {scale.settled:g}: "
            f"fp16 rounds values below 3e-8 to zero{more if lost[1:] else ''}",
            "scale the loss up (torch.amp.GradScaler starts at 65536), or train in bf16",
            {"lost": worst.lost, "scale": scale.settled, "modules": len(lost)},
        )
