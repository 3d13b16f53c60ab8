from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import instead, replaced, some_labels


def _blames(facts: Facts) -> bool:
    """A perfect prediction, which is one for the function before."""
    labels, metric = some_labels(facts), facts["compute_metrics"]
    said = _scores(labels) if labels.ndim == 1 else labels
    return metric(said, labels) != metric.before(said, labels)


def _scores(labels: Any) -> Any:
    import numpy as np

    return np.eye(int(labels.max()) + 1)[labels]


@fault(
    "the metric function compares each prediction with the labels of the next row",
    "GEN015",
    lambda facts: replaced(facts, "compute_metrics") and _blames(facts),
)
def metric_compares_other_rows(facts: Facts) -> Facts:
    right = facts["compute_metrics"]

    def shifted(predictions: Any, labels: Any) -> dict[str, float]:
        import numpy as np

        return right(predictions, np.roll(np.asarray(labels), 1, axis=0))

    return instead(facts, "compute_metrics", shifted)
