from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.other_tokenizers import LOWER, PLAIN, with_other_tokenizer
from probes.faults.kit.tokenizer_changes import spelling


def _alike(facts: Facts) -> bool:
    return facts["tokenizer"].eos_token_id == facts["tokenizer"].unk_token_id


@fault("the end token is one that the tokenizer does not have", "TOK005", _alike, PLAIN)
def end_token_is_unknown(facts: Facts) -> Facts:
    tokenizer = spelling(LOWER + LOWER.upper())
    tokenizer.eos_token = "<unk>"
    return with_other_tokenizer(facts, tokenizer)
