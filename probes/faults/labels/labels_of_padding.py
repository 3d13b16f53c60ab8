from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault(
    "labels hold the padding token alone",
    "LAB001",
    lambda f: len(set(first_labels(f).flatten().tolist())) == 1,
    SEQUENCES,
)
def labels_of_padding(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels * 0 + facts["tokenizer"].pad_token_id)
