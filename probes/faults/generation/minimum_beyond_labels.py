from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.generation_changes import generation_setting_is, set_generation


@fault(
    "min_length is longer than any label, so that the end token is forbidden where labels end",
    "GEN002",
    generation_setting_is("min_length", 39),
    HF_MODELS,
)
def minimum_beyond_labels(facts: Facts) -> Facts:
    return set_generation(facts, min_length=39)
