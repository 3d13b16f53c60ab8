from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import InputInfluence


@probe(id="LOS021", stage=Stage.LOSS, severity=Severity.WARNING, explains=("LAB02[0-4]",))
def input_has_no_influence(input_influence: InputInfluence) -> Findings:
    """An input of the model's forward, such as a mask, changes neither its output nor its loss."""
    found = input_influence
    if len(found.unused) == len(found.tried):
        return  # no input has any influence: told of the loss
    for name in found.unused:
        library = f"; this may be by design in {found.library}" if found.library else ""
        yield Finding(
            where=name,
            message=f"{name} has no influence: swapping it between rows changes neither output nor loss, in eval or "
            f"train mode{library}",
            fix=f"use {name} in forward, or do not pass it",
            measured={"inputs": len(found.tried), "unused": len(found.unused)},
            severity=Severity.NOTE if found.library else None,
        )
