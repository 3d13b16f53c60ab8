from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.module_changes import with_optimizer


@fault(
    "the first layer of a new model is frozen",
    "PAR020",
    lambda facts: not facts["model"][0].weight.requires_grad and facts["model"][4].weight.requires_grad,
    CLASSIFIER,
)
def layer_frozen_alone(facts: Facts) -> Facts:
    facts["model"][0].requires_grad_(False)
    return with_optimizer(facts)
