from typing import Any

from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.evaluation_changes import function_fault, one_hot, some_labels


def _metric_raises(facts: Facts) -> bool:
    labels = some_labels(facts)
    return raises(lambda: facts["compute_metrics"](one_hot(labels), labels))


@function_fault(
    "compute_metrics",
    "the metric function takes the classes from an axis that is not there",
    "GEN014",
    _metric_raises,
    CLASSIFIER,
)
def metric_of_another_shape(facts: Facts) -> Any:
    return lambda predictions, labels: {"accuracy": float((predictions.argmax(2) == labels).mean())}
