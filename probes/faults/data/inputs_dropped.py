from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, before_and_after, with_batches
from probes.faults.kit.model_parts import main_input


def _without_input(facts: Facts) -> bool:
    pair = before_and_after(facts)
    return pair is not None and main_input(facts["model"], pair[0]) not in pair[1]


@fault("the collator drops what the model reads", "DAT054", _without_input, SEQUENCES)
def inputs_dropped(facts: Facts) -> Facts:
    def rest(batch: Any) -> Any:
        read = main_input(facts["model"], batch)
        return {name: value for name, value in batch.items() if name != read}

    return with_batches(facts, rest)
