from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.module_changes import first_linear


@fault(
    id="layer_of_zeros",
    description="the memory of one layer was never filled",
    probe_id="PAR009",
    is_present=lambda facts: not bool(first_linear(facts)[1].weight.any()),
    applies_to=SEQUENCES,
)
def layer_of_zeros(facts: Facts) -> Facts:
    first_linear(facts)[1].weight.data.zero_()
    return facts
