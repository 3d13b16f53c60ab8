from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.tokenizer_changes import with_rows_for

MORE = 2000


def _rows(facts: Facts) -> int:
    return max(len(weight) for weight in facts["model"].parameters())


@fault(
    "the model has 2,000 rows that the tokenizer has no token for",
    "TOK002",
    lambda f: _rows(f) > len(f["tokenizer"]) + 1024,
    SEQUENCES,
)
def tokenizer_of_a_smaller_model(facts: Facts) -> Facts:
    return with_rows_for(facts, len(facts["tokenizer"]) + MORE)
