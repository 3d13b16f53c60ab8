from diagnose import Findings, Severity, Stage, probe
from probes.facts.generation.types import EvaluationPair
from probes.reporting.failure_finding import failure_finding


@probe(id="GEN011", stage=Stage.GENERATION, severity=Severity.ERROR)
def evaluation_raises(evaluation_twice: EvaluationPair) -> Findings:
    """The evaluation function raises, so the run would end at its first evaluation."""
    failure = evaluation_twice.failure
    if failure is not None:
        fix = f"call evaluate once and fix {failure.line or 'the line that raises'}"
        message = f"{failure}; expected metrics"
        yield failure_finding(failure, "evaluate", failure.module or "evaluate", message, fix)
