from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, labels_changed, with_labels


@fault(
    "labels are stacked position by position",
    "LAB031",
    lambda f: labels_changed(f, lambda before, after: before.T.shape == after.shape != before.shape),
    SEQUENCES,
)
def labels_turned_over(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels.T.contiguous())
