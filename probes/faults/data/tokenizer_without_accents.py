from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.other_tokenizers import PLAIN, is_unknown, with_other_tokenizer
from probes.faults.kit.tokenizer_changes import spelling


@fault("the tokenizer lacks the letters of the language", "DAT029", is_unknown, PLAIN)
def tokenizer_without_accents(facts: Facts) -> Facts:
    return with_other_tokenizer(facts, spelling("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
