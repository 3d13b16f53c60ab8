from diagnose import fault
from probes.faults.kit.biased_generation import boosted, knows_better
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import taught


@fault(
    id="end_unlearnt",
    breaks="a trained model never says its end token",
    named_by="GEN009",
    proof=knows_better,
    applies_to=SEQUENCES,
)
def end_unlearnt(facts: Facts) -> Facts:
    return boosted("eos_token_id", -100.0, taught(facts))
