import copy

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts

MORE = 8


@fault(
    id="tokens_added_without_resize",
    description="tokens were added to the tokenizer, and the model's tables stayed as they were",
    probe_id="TOK001",
    is_present=lambda facts: f"<new{MORE - 1}>" in facts["tokenizer"].get_vocab(),
    applies_to=SEQUENCES,
)
def tokens_added_without_resize(facts: Facts) -> Facts:
    tokenizer = copy.deepcopy(facts["tokenizer"])
    tokenizer.add_tokens([f"<new{number}>" for number in range(MORE)], special_tokens=True)
    return {**facts, "tokenizer": tokenizer}
