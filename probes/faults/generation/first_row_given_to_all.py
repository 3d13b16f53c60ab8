from diagnose import fault
from probes.faults.kit.biased_generation import knows_better, with_inputs
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import taught


@fault(
    id="first_row_given_to_all",
    breaks="generation gets the first row's input for every row",
    named_by="GEN008",
    proof=knows_better,
    applies_to=SEQUENCES,
)
def first_row_given_to_all(facts: Facts) -> Facts:
    return with_inputs(taught(facts), lambda value: value[:1].expand_as(value))
