from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, begins_with_start, start_of, with_target_rows


@fault(
    "the collator gives the decoder's inputs as labels, and the model shifts them again",
    "LAB010",
    begins_with_start,
    HF_MODELS,
)
def labels_moved_right(facts: Facts) -> Facts:
    return with_target_rows(facts, lambda ids: [start_of(facts), *ids[:-1]])
