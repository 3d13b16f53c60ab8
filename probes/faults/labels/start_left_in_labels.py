from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, first_labels, start_of, with_targets


@fault(
    "the labels begin with the decoder's start token",
    "LAB008",
    lambda facts: bool((first_labels(facts)[:, 0] == start_of(facts)).all()),
    ("whisper", "e2e", "mt5"),
)
def start_left_in_labels(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [start_of(facts), *ids]))
