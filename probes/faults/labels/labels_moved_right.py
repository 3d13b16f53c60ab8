from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, first_labels, start_of, with_targets


@fault(
    "the collator gives the decoder's inputs as labels, and the model shifts them again",
    "LAB010",
    lambda facts: bool((first_labels(facts)[:, 0] == start_of(facts)).all()),
    ("whisper", "e2e", "mt5"),
)
def labels_moved_right(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [start_of(facts), *ids[:-1]]))
