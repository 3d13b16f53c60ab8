from diagnose import fault
from probes.faults.kit.biased_generation import has_memorized, with_inputs
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.memorized_model import memorized


@fault(
    id="rows_answered_in_another_order",
    description="generation gets the rows in another order than the labels",
    probe_id="GEN010",
    is_present=has_memorized,
    applies_to=SEQUENCES,
)
def rows_answered_in_another_order(facts: Facts) -> Facts:
    return with_inputs(memorized(facts), lambda value: value.roll(1, 0))
