import copy

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts

MORE = 8


@fault(
    "tokens were added to the tokenizer, and the model's tables stayed as they were",
    "TOK001",
    lambda facts: f"<new{MORE - 1}>" in facts["tokenizer"].get_vocab(),
    SEQUENCES,
)
def tokens_added_without_resize(facts: Facts) -> Facts:
    tokenizer = copy.deepcopy(facts["tokenizer"])
    tokenizer.add_tokens([f"<new{number}>" for number in range(MORE)], special_tokens=True)
    return {**facts, "tokenizer": tokenizer}
