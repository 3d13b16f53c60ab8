from diagnose import fault
from probes.faults.kit.biased_generation import bias_token, has_memorized
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault("a trained model answers with its end token alone", "GEN006", has_memorized, SEQUENCES)
def end_said_at_once(facts: Facts) -> Facts:
    return bias_token("eos_token_id", 100.0, memorized(facts))
