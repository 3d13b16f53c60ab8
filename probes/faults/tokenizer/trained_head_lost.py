from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts

BEFORE = 0.1


@fault(
    id="trained_head_lost",
    description="the weights are no longer those whose loss was measured before: they know nothing",
    probe_id="TOK012",
    is_present=lambda facts: facts.get("reference_loss") == BEFORE,
    applies_to=SEQUENCES,
)
def trained_head_lost(facts: Facts) -> Facts:
    return {**facts, "reference_loss": BEFORE}
