from diagnose import fault
from probes.faults.kit.biased_generation import boosted, knows_better
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import taught


@fault(
    id="end_said_at_once",
    breaks="a trained model answers with its end token alone",
    named_by="GEN006",
    proof=knows_better,
    applies_to=SEQUENCES,
)
def end_said_at_once(facts: Facts) -> Facts:
    return boosted("eos_token_id", 100.0, taught(facts))
