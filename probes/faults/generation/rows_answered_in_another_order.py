from diagnose import fault
from probes.faults.kit.biased_generation import has_memorized, with_inputs
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault("generation gets the rows in another order than the labels", "GEN010", has_memorized, SEQUENCES)
def rows_answered_in_another_order(facts: Facts) -> Facts:
    return with_inputs(memorized(facts), lambda value: value.roll(1, 0))
