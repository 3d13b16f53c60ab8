from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.other_tokenizers import PLAIN, is_unknown, spelt_by
from probes.faults.kit.tokenizer_changes import spelling


@fault("tokenizer_without_accents", "the tokenizer lacks the letters of the language", "DAT029", is_unknown, PLAIN)
def tokenizer_without_accents(facts: Facts) -> Facts:
    return spelt_by(facts, spelling("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
