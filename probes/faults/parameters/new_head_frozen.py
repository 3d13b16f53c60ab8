from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import with_optimizer


@fault(
    id="new_head_frozen",
    description="a new head is frozen with the body that was trained before",
    probe_id="PAR003",
    is_present=lambda facts: not facts["model"][4].weight.requires_grad,
    applies_to=("classifier",),
)
def new_head_frozen(facts: Facts) -> Facts:
    facts["model"][4].requires_grad_(False)
    return with_optimizer(facts) | {"fresh": ("4",)}
