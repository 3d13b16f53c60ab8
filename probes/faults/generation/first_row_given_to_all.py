from diagnose import fault
from probes.faults.kit.biased_generation import has_memorized, with_inputs
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault("generation gets the first row's input for every row", "GEN008", has_memorized, SEQUENCES)
def first_row_given_to_all(facts: Facts) -> Facts:
    return with_inputs(memorized(facts), lambda value: value[:1].expand_as(value))
