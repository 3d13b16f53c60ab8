from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import LOWER, gives_unknown, vocabulary_tokenizer, with_other_tokenizer


@fault("the tokenizer knows words, and few of these", "TOK004", gives_unknown, ("e2e", "hybrid", "mt5"))
def tokenizer_of_other_words(facts: Facts) -> Facts:
    return with_other_tokenizer(
        facts, vocabulary_tokenizer(" ".join(["the door mẹ", *LOWER.split()[0], *LOWER.split()[0].upper()]), by=" ")
    )
