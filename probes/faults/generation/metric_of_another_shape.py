from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.evaluating import named


@fault(
    id="metric_of_another_shape",
    breaks="the metric function takes the classes from an axis that is not there",
    named_by="GEN014",
    proof=lambda facts: named(facts, "compute_metrics") == "third_axis",
    applies_to=("classifier",),
)
def metric_of_another_shape(facts: Facts) -> Facts:
    def third_axis(predictions: Any, labels: Any) -> dict[str, float]:
        return {"accuracy": float((predictions.argmax(2) == labels).mean())}

    return {**facts, "compute_metrics": third_axis}
