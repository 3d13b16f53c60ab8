from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated_length, with_greedy_decoding

WORDS = 5


@fault(
    "the decoding loop waits for another token than the labels end with",
    "GEN004",
    lambda facts: generated_length(facts, WORDS) > 3 * WORDS,
    ("hybrid",),
)
def end_not_waited_for(facts: Facts) -> Facts:
    refusal = "its EOS token in generation cannot be set"
    return with_greedy_decoding(facts, refusal, end=len(facts["tokenizer"]) + 7)
