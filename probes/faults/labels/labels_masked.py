from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    "the collator masks every label with -100",
    "LAB001",
    lambda facts: bool((first_labels(facts) == -100).all()),
    SEQUENCES,
)
def labels_masked(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels * 0 - 100)
