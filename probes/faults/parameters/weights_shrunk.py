from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_weight


@fault(
    "a layer is initialized with a std close to zero",
    "PAR010",
    lambda facts: float(first_weight(facts).std()) < 1e-7,
)
def weights_shrunk(facts: Facts) -> Facts:
    first_weight(facts).data.mul_(1e-8)
    return facts
