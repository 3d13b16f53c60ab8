from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "a name filter freezes every parameter",
    "PAR001",
    lambda facts: not any(parameter.requires_grad for parameter in facts["model"].parameters()),
)
def everything_frozen(facts: Facts) -> Facts:
    facts["model"].requires_grad_(False)
    return facts
