from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import LOWER, PLAIN_LABELS, vocabulary_tokenizer, with_other_tokenizer


def _end_is_unknown(facts: Facts) -> bool:
    return facts["tokenizer"].eos_token_id == facts["tokenizer"].unk_token_id


@fault("the end token is one that the tokenizer does not have", "TOK005", _end_is_unknown, PLAIN_LABELS)
def end_token_is_unknown(facts: Facts) -> Facts:
    tokenizer = vocabulary_tokenizer(LOWER + LOWER.upper())
    tokenizer.eos_token = "<unk>"
    return with_other_tokenizer(facts, tokenizer)
