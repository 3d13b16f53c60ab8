from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear, first_weight


@fault("a layer is made from numpy's float64", "PLC004", lambda facts: "float64" in str(first_weight(facts).dtype))
def layer_in_double(facts: Facts) -> Facts:
    first_linear(facts).double()
    return facts
