from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    "the collator leaves the padding token in the labels",
    "LAB002",
    lambda facts: bool((first_labels(facts) != -100).all()),
    SEQUENCES,
)
def padding_left_in_labels(facts: Facts) -> Facts:
    padding = facts["tokenizer"].pad_token_id
    return with_labels(facts, lambda labels: labels.masked_fill(labels == -100, padding))
