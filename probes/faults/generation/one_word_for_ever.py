from diagnose import fault
from probes.faults.kit.biased_generation import bias_token, has_memorized
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault("a trained model repeats one word", "GEN007", has_memorized, SEQUENCES)
def one_word_for_ever(facts: Facts) -> Facts:
    return bias_token("", 100.0, memorized(facts))
