import copy

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.tokenizer_changes import with_other_tokenizer


@fault(
    "the tokenizer takes the accents off",
    "TOK003",
    lambda f: "á" not in f["tokenizer"].decode(f["tokenizer"]("cá")["input_ids"]),
    SEQUENCES,
)
def tokenizer_strips_accents(facts: Facts) -> Facts:
    from tokenizers import normalizers

    tokenizer = copy.deepcopy(facts["tokenizer"])
    tokenizer.backend_tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    return with_other_tokenizer(facts, tokenizer)
