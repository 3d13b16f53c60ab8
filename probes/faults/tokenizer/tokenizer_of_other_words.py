from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.other_tokenizers import LOWER, is_unknown, with_other_tokenizer
from probes.faults.kit.tokenizer_changes import spelling


@fault("the tokenizer knows words, and few of these", "TOK004", is_unknown, ("e2e", "hybrid", "mt5"))
def tokenizer_of_other_words(facts: Facts) -> Facts:
    return with_other_tokenizer(
        facts, spelling(" ".join(["the door mẹ", *LOWER.split()[0], *LOWER.split()[0].upper()]), by=" ")
    )
