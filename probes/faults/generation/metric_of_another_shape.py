from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import instead, raises, replaced, some_labels


def _stumbles(facts: Facts) -> bool:
    import numpy as np

    labels = some_labels(facts)
    return raises(facts["compute_metrics"], np.eye(int(labels.max()) + 1)[labels], labels)


@fault(
    "the metric function takes the classes from an axis that is not there",
    "GEN014",
    lambda facts: replaced(facts, "compute_metrics") and _stumbles(facts),
    ("classifier",),
)
def metric_of_another_shape(facts: Facts) -> Facts:
    def third_axis(predictions: Any, labels: Any) -> dict[str, float]:
        return {"accuracy": float((predictions.argmax(2) == labels).mean())}

    return instead(facts, "compute_metrics", third_axis)
