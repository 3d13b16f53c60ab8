from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear


@fault(
    "a layer is initialised with a std of 100", "PAR010", lambda facts: float(first_linear(facts)[1].weight.std()) > 50
)
def weights_blown_up(facts: Facts) -> Facts:
    first_linear(facts)[1].weight.data.normal_(0, 100)
    return facts
