from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_weight


@fault(
    "the weights were saved by a run that had diverged",
    "PAR008",
    lambda facts: not bool(first_weight(facts).isfinite().all()),
)
def weight_not_finite(facts: Facts) -> Facts:
    first_weight(facts).data[0, 0] = float("nan")
    return facts
