from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    id="labels_masked",
    description="the collator masks every label with -100",
    probe_id="LAB001",
    is_present=lambda facts: bool((first_labels(facts) == -100).all()),
    applies_to=SEQUENCES,
)
def labels_masked(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels * 0 - 100)
