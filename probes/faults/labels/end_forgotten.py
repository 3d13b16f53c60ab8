from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, by_row, first_labels, with_targets


@fault(
    id="end_forgotten",
    description="targets are tokenised without their end token",
    probe_id="LAB007",
    is_present=lambda facts: not bool((first_labels(facts) == facts["tokenizer"].eos_token_id).any()),
    applies_to=SEQUENCES,
)
def end_forgotten(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: ids[:-1]))
