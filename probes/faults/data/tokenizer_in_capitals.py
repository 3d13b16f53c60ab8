from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import (
    LOWER,
    PLAIN_LABELS,
    gives_unknown,
    vocabulary_tokenizer,
    with_other_tokenizer,
)


@fault("the tokenizer knows capital letters alone", "DAT028", gives_unknown, PLAIN_LABELS)
def tokenizer_in_capitals(facts: Facts) -> Facts:
    return with_other_tokenizer(facts, vocabulary_tokenizer(LOWER.upper()))
