from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear


@fault(
    "a layer is initialised with one value", "PAR009", lambda facts: bool((first_linear(facts)[1].weight == 0.1).all())
)
def layer_of_one_value(facts: Facts) -> Facts:
    first_linear(facts)[1].weight.data.fill_(0.1)
    return facts
