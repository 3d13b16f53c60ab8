from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, by_row, first_labels, with_targets


@fault(
    "targets are tokenised without their end token",
    "LAB007",
    lambda facts: not bool((first_labels(facts) == facts["tokenizer"].eos_token_id).any()),
    SEQUENCES,
)
def end_forgotten(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: ids[:-1]))
