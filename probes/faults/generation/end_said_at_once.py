from diagnose import fault
from probes.faults.kit.biased_generation import bias_token, has_memorized
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault(
    id="end_said_at_once",
    description="a trained model answers with its end token alone",
    probe_id="GEN006",
    is_present=has_memorized,
    applies_to=SEQUENCES,
)
def end_said_at_once(facts: Facts) -> Facts:
    return bias_token("eos_token_id", 100.0, memorized(facts))
