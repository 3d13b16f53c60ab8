from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_weight


@fault("a layer is initialized with a std of 100", "PAR010", lambda facts: float(first_weight(facts).std()) > 50)
def weights_blown_up(facts: Facts) -> Facts:
    first_weight(facts).data.normal_(0, 100)
    return facts
