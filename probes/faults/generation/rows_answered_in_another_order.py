from diagnose import fault
from probes.faults.kit.biased_generation import knows_better, with_inputs
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import taught


@fault(
    id="rows_answered_in_another_order",
    breaks="generation gets the rows in another order than the labels",
    named_by="GEN010",
    proof=knows_better,
    applies_to=SEQUENCES,
)
def rows_answered_in_another_order(facts: Facts) -> Facts:
    return with_inputs(taught(facts), lambda value: value.roll(1, 0))
