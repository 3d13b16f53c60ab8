from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts

BEFORE = 0.1


@fault(
    "the weights are no longer those whose loss was measured before: they know nothing",
    "TOK012",
    lambda facts: facts.get("reference_loss") == BEFORE,
    SEQUENCES,
)
def trained_head_lost(facts: Facts) -> Facts:
    return {**facts, "reference_loss": BEFORE}
