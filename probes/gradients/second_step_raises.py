from diagnose import Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep, UserStep
from probes.reporting.failure_finding import failure_finding


@probe(id="GRD018", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LOS015", "LOS017", "GRD019", "LRN*"))
def second_step_raises(repeated_step: RepeatedStep, user_step: UserStep | None = None) -> Findings:
    """The second step raises although the first one works: the model keeps state between steps."""
    failure = repeated_step.failure
    if failure is None or (user_step is not None and user_step.failure is None):
        return  # a step of one's own that goes on takes care of what the model keeps
    message = f"{failure}; the first step did not raise"
    fix = f"find the state that {failure.module or 'the model'} keeps between steps"
    where = failure.module or "loss.backward()"
    yield failure_finding(failure, "second step", where, message, fix, module=failure.module)
