from diagnose import fault
from probes.faults.kit.biased_generation import boosted, knows_better
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import taught


@fault(
    id="one_word_for_ever",
    breaks="a trained model answers with one word again and again",
    named_by="GEN007",
    proof=knows_better,
    applies_to=SEQUENCES,
)
def one_word_for_ever(facts: Facts) -> Facts:
    return boosted("", 100.0, taught(facts))
