from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters


@probe(id="PAR001", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("PAR*", "LOS015", "GRD*", "LRN*"))
def nothing_is_trainable(parameters: Parameters) -> Findings:
    """No parameter requires a gradient, so nothing can be learned."""
    if not parameters.trainable:
        yield Finding(
            where="model",
            message=f"Trainable: 0 / {parameters.total:,} (0.0%), expected at least the part that is new to the task",
            fix="set requires_grad on the parts that should learn, after the last call that freezes",
            measured={"trainable": 0, "total": parameters.total},
        )
