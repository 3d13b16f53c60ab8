from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import TrainingPass


@probe(id="PAR014", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("LRN*", "GEN*"))
def frozen_running_stats_change(training_pass: TrainingPass) -> Findings:
    """Running statistics of a frozen module change, because it is in train mode."""
    if training_pass.moved:
        worst = max(training_pass.moved, key=lambda moved: moved.change)
        yield Finding(
            where=worst.name,
            message=f"one forward pass changes it by {100 * worst.change:.3g}% although the {worst.kind} is frozen, "
            f"expected 0; {len(training_pass.moved)} buffers are affected",
            fix="call eval() on the frozen module after every model.train()",
            measured={"buffers": len(training_pass.moved), "change": worst.change},
        )
