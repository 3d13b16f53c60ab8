from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear


@fault(
    id="weights_blown_up",
    description="a layer is initialised with a std of 100",
    probe_id="PAR010",
    is_present=lambda facts: float(first_linear(facts)[1].weight.std()) > 50,
)
def weights_blown_up(facts: Facts) -> Facts:
    first_linear(facts)[1].weight.data.normal_(0, 100)
    return facts
