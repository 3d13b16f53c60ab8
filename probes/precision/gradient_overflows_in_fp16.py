from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.precision.types import FORMATS, PrecisionComparison
from probes.reporting.precision_finding import describe_mode, judged_runs


@probe(id="PRE002", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE003", "LRN*"))
def gradient_overflows_in_fp16(precision_comparison: PrecisionComparison) -> Findings:
    """Gradients overflow in fp16, and the loss scale cannot become low enough to prevent it."""
    scale = precision_comparison.scale
    run = next((run for run, _ in judged_runs(precision_comparison)), None)
    if scale is None or run is None or not run.gradients:
        return
    worst = max(run.gradients, key=lambda share: share.largest)
    # A scale that moves is halved until nothing overflows: those steps are skipped, which is as it should be. Below 1
    # it no longer scales up but down, and the gradients themselves are beyond the format.
    stuck = worst.largest >= FORMATS["fp16"].overflow_from if not scale.moves else scale.settled < 1
    if stuck:
        held = "stays" if not scale.moves else f"would have to decrease to {scale.settled:g}"
        overflow = run.gradient_overflow
        first = f"; {overflow.operation} in {overflow.where} is the first" if overflow else ""
        yield Finding(
            worst.module or "compute_loss",
            f"{describe_mode(run)}, its gradients reach {worst.largest / scale.settled:.3g}; the loss scale of "
            f"{scale.start:g} {held}, and the scaled gradients exceed 65504: every step is skipped or becomes "
            f"NaN{first}",
            "use torch.amp.GradScaler, which lowers its scale, or a lower fixed scale; bf16 needs no loss scale",
            {"largest": worst.largest / scale.settled, "scale": scale.start, "settled": scale.settled},
        )
