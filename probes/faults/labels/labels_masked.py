from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    id="labels_masked",
    breaks="the collator masks every label with -100",
    named_by="LAB001",
    proof=lambda facts: bool((first_labels(facts) == -100).all()),
    applies_to=SEQUENCES,
)
def labels_masked(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels * 0 - 100)
