from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, begins_with_start, start_of, with_target_rows


@fault("the labels begin with the decoder's start token", "LAB008", begins_with_start, HF_MODELS)
def start_left_in_labels(facts: Facts) -> Facts:
    return with_target_rows(facts, lambda ids: [start_of(facts), *ids])
