from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear


@fault(
    id="layer_of_one_value",
    description="a layer is initialised with one value",
    probe_id="PAR009",
    is_present=lambda facts: bool((first_linear(facts)[1].weight == 0.1).all()),
)
def layer_of_one_value(facts: Facts) -> Facts:
    first_linear(facts)[1].weight.data.fill_(0.1)
    return facts
