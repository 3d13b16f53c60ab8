from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.module_changes import with_optimizer


@fault(
    "a new head is frozen with the body that was trained before",
    "PAR003",
    lambda facts: not facts["model"][4].weight.requires_grad,
    CLASSIFIER,
)
def new_head_frozen(facts: Facts) -> Facts:
    facts["model"][4].requires_grad_(False)
    return with_optimizer(facts) | {"fresh": ("4",)}
