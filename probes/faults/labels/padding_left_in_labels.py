from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    id="padding_left_in_labels",
    description="the collator leaves the padding token in the labels",
    probe_id="LAB002",
    is_present=lambda facts: bool((first_labels(facts) != -100).all()),
    applies_to=SEQUENCES,
)
def padding_left_in_labels(facts: Facts) -> Facts:
    padding = facts["tokenizer"].pad_token_id
    return with_labels(facts, lambda labels: labels.masked_fill(labels == -100, padding))
