from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated, with_greedy_decoding


@fault(
    "generation begins with a token that the labels do not have",
    "GEN003",
    lambda facts: bool((generated(facts)[:, 0] == 9).all()),
    ("hybrid",),
)
def prompt_never_taught(facts: Facts) -> Facts:
    refusal = "its generation is given the prompt of each row, not one for all"
    return with_greedy_decoding(facts, refusal, prompt=(9,))
