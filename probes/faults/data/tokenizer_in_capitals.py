from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.other_tokenizers import LOWER, PLAIN, is_unknown, with_other_tokenizer
from probes.faults.kit.tokenizer_changes import spelling


@fault("the tokenizer knows capital letters alone", "DAT028", is_unknown, PLAIN)
def tokenizer_in_capitals(facts: Facts) -> Facts:
    return with_other_tokenizer(facts, spelling(LOWER.upper()))
