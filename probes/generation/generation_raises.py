from diagnose import Findings, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration
from probes.reporting.failure_finding import failure_finding


@probe(id="GEN001", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN*",))
def generation_raises(generation_attempt: FreeGeneration) -> Findings:
    """Generation raises an error, so the first evaluation would end the run."""
    failure = generation_attempt.failure
    if failure is None:
        return
    message = f"{failure}; expected token ids: the first evaluation would end the run"
    fix = f"call generate on this batch and fix {failure.line or 'the call'}"
    where, shapes = failure.module or "generate", failure.shapes
    yield failure_finding(failure, "generate", where, message, fix, module=failure.module, shapes=shapes)
