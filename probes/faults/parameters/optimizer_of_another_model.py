from copy import deepcopy

from diagnose import fault
from probes.faults.kit.changes import Facts


def _holds_no_parameter(facts: Facts) -> bool:
    own = {id(one) for one in facts["model"].parameters()}
    return not any(id(one) in own for group in facts["optimizer"].param_groups for one in group["params"])


@fault("the model is copied after the optimizer was created", "PAR006", _holds_no_parameter)
def optimizer_of_another_model(facts: Facts) -> Facts:
    return {**facts, "model": deepcopy(facts["model"])}
