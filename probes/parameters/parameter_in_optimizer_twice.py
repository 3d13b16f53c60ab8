from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters


@probe(id="PAR005", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("LRN*",))
def parameter_in_optimizer_twice(optimizer_parameters: Parameters) -> Findings:
    """A parameter is in the optimizer more than once, so each step updates it several times."""
    twice = [row for row in optimizer_parameters.rows if len(row.groups) > 1]
    if twice:
        row = twice[0]
        groups = ", ".join(str(number) for number in dict.fromkeys(row.groups))
        yield Finding(
            where=row.name,
            message=f"it is in the optimizer {len(row.groups)} times (group {groups}), expected once; {len(twice)} of "
            f"{len(optimizer_parameters.rows)} parameters are affected",
            fix="put every parameter into one group, once; use model.parameters(), which removes duplicates of tied "
            "weights",
            measured={"times": len(row.groups), "parameters": len(twice)},
        )
