from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, before_and_after, drop_keys, with_batches
from probes.faults.kit.model_parts import main_input


def _without_input(facts: Facts) -> bool:
    pair = before_and_after(facts)
    return pair is not None and main_input(facts["model"], pair[0]) not in pair[1]


@fault("the collator drops what the model reads", "DAT054", _without_input, SEQUENCES)
def inputs_dropped(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: drop_keys(batch, main_input(facts["model"], batch)))
