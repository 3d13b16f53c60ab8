from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters


@probe(id="PAR001", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("PAR*", "LOS01[57]", "GRD*", "LRN*"))
def nothing_is_trainable(parameters: Parameters) -> Findings:
    """No parameter requires a gradient, so nothing can be learned."""
    if not parameters.trainable:
        yield Finding(
            where="model",
            message=f"Trainable: 0 / {parameters.total:,} (0.0%), expected at least the new head",
            fix="set requires_grad=True on the modules to train, after the last call that freezes",
            measured={"trainable": 0, "total": parameters.total},
        )
