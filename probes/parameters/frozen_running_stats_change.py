from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import TrainingPass


@probe(id="PAR014", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("LRN*", "GEN*"))
def frozen_running_stats_change(training_pass: TrainingPass) -> Findings:
    """Running statistics of a frozen module change, because it is in train mode."""
    if training_pass.moved:
        worst = max(training_pass.moved, key=lambda moved: moved.change)
        yield Finding(
            where=worst.name,
            message=f"one pass moved it by {100 * worst.change:.2g}% though the {worst.kind} that holds it is frozen, "
            f"expected 0; so it is with {len(training_pass.moved)} buffers",
            fix="put the frozen part into evaluation mode after every model.train()",
            measured={"buffers": len(training_pass.moved), "change": worst.change},
        )
