from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import PLAIN_LABELS, gives_unknown, vocabulary_tokenizer, with_other_tokenizer


@fault("the tokenizer lacks the letters of the language", "DAT029", gives_unknown, PLAIN_LABELS)
def tokenizer_without_accents(facts: Facts) -> Facts:
    return with_other_tokenizer(facts, vocabulary_tokenizer("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
