from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import function_fault, one_hot, some_labels


def _differs_from_before(facts: Facts) -> bool:
    """A perfect prediction, which is one for the function before."""
    labels, metric = some_labels(facts), facts["compute_metrics"]
    predictions = one_hot(labels) if labels.ndim == 1 else labels
    return metric(predictions, labels) != metric.before(predictions, labels)


@function_fault(
    "compute_metrics",
    "the metric function compares each prediction with the labels of the next row",
    "GEN015",
    _differs_from_before,
)
def metric_compares_other_rows(facts: Facts) -> Any:
    def compute_metrics(predictions: Any, labels: Any) -> dict[str, float]:
        import numpy as np

        return facts["compute_metrics"](predictions, np.roll(np.asarray(labels), 1, axis=0))

    return compute_metrics
