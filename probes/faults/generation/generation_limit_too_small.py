from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.generation_changes import generated, generated_length, set_generation, with_greedy_decoding

FEW = 6
WORDS = 16


@fault(
    "generation stops after five tokens, whatever the labels have",
    "GEN004",
    lambda facts: generated_length(facts, WORDS) <= FEW,
    SEQUENCES,
)
def generation_limit_too_small(facts: Facts) -> Facts:
    """In the settings where they are obeyed."""
    if hasattr(facts["model"], "greedy_decode"):
        return with_greedy_decoding(facts, limit=FEW)
    tokens = generated(set_generation(facts, max_length=FEW))
    if tokens is not None and tokens.shape[1] > FEW:
        raise NotApplicable("its generation does not take its limit from generation_config")
    return facts
