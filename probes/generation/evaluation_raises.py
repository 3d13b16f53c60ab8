from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.types import EvaluationPair


@probe(id="GEN011", stage=Stage.GENERATION, severity=Severity.ERROR)
def evaluation_raises(evaluation_twice: EvaluationPair) -> Iterator[Finding]:
    """The evaluation function raises, so the run would end at its first evaluation."""
    failure = evaluation_twice.failure
    if failure is None:
        return
    file, _, line = failure.line.rpartition(":")
    yield Finding(
        where=failure.module or "evaluate",
        message=f"{failure}; expected figures",
        fix=f"call evaluate once by hand and mend {failure.line or 'what it calls'}",
        measured={"error": failure.error, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
