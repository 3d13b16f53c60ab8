from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_targets

OTHER = 7


@fault(
    "the collator fills labels with an id that is neither -100 nor the padding token",
    "LAB005",
    lambda facts: bool((first_labels(facts)[:, -1] == OTHER).any()),
    SEQUENCES,
)
def padding_of_another_id(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: labels.masked_fill(labels == -100, OTHER))
