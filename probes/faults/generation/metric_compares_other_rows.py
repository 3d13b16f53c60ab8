from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.evaluating import named


@fault(
    id="metric_compares_other_rows",
    breaks="the metric function compares each prediction with the labels of the next row",
    named_by="GEN015",
    proof=lambda facts: named(facts, "compute_metrics") == "shifted",
)
def metric_compares_other_rows(facts: Facts) -> Facts:
    right = facts["compute_metrics"]

    def shifted(predictions: Any, labels: Any) -> dict[str, float]:
        import numpy as np

        return right(predictions, np.roll(np.asarray(labels), 1, axis=0))

    return {**facts, "compute_metrics": shifted}
