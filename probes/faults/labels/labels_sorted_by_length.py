from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, labels_changed, with_targets


def _sorted(labels: Any) -> Any:
    return labels[(labels != -100).sum(1).argsort(descending=True, stable=True)]


@fault(
    "the collator sorts labels by length, and inputs not",
    "LAB034",
    lambda f: labels_changed(f, lambda before, after: not before.equal(after) and _sorted(before).equal(after)),
    SEQUENCES,
)
def labels_sorted_by_length(facts: Facts) -> Facts:
    return with_targets(facts, _sorted)
