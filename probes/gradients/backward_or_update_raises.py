from diagnose import Findings, Severity, Stage, probe
from probes.facts.first_step.types import FirstStep
from probes.reporting.failure_finding import failure_finding


@probe(id="GRD003", stage=Stage.GRADIENTS, severity=Severity.ERROR)
def backward_or_update_raises(first_step: FirstStep) -> Findings:
    """The backward pass or the optimizer update raises on the first batch."""
    failure = first_step.failure
    if failure is None or failure.phase not in ("backward pass", "update"):
        return
    where = failure.module or "loss.backward()" if failure.phase == "backward pass" else "optimizer.step()"
    message = f"{failure}; expected a gradient for each trainable parameter"
    fix = f"run one step on this batch and fix the {failure.phase}"
    yield failure_finding(failure, "backward", where, message, fix, phase=failure.phase)
