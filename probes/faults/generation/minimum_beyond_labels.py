from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts
from probes.faults.kit.generation_changes import set_generation, setting


@fault(
    "min_length is longer than any label, so that the end token is forbidden where labels end",
    "GEN002",
    setting("min_length", 39),
    THEIRS,
)
def minimum_beyond_labels(facts: Facts) -> Facts:
    return set_generation(facts, min_length=39)
