from diagnose import Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep
from probes.reporting.failure_finding import failure_finding


@probe(id="GRD019", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "STP*"))
def training_step_raises(user_step: UserStep) -> Findings:
    """The user's training_step raises, although forward and backward alone work."""
    failure = user_step.failure
    if failure is None:
        return
    message = f"{failure}; forward and backward on the same batch do not raise"
    fix = f"run training_step on this batch and fix {failure.line or 'it'}"
    where = failure.module or "training_step"
    yield failure_finding(failure, "training_step", where, message, fix, call=user_step.failed_call)
