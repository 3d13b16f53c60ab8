from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.module_changes import first_weight


@fault(
    "the memory of one layer was never filled", "PAR009", lambda facts: not bool(first_weight(facts).any()), SEQUENCES
)
def layer_of_zeros(facts: Facts) -> Facts:
    first_weight(facts).data.zero_()
    return facts
