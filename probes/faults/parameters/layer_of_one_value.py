from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_weight


@fault("a layer is initialized with a constant", "PAR009", lambda facts: bool((first_weight(facts) == 0.1).all()))
def layer_of_one_value(facts: Facts) -> Facts:
    first_weight(facts).data.fill_(0.1)
    return facts
