from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, first_labels, start_of, with_targets


@fault(
    id="start_left_in_labels",
    description="the labels begin with the decoder's start token",
    probe_id="LAB008",
    is_present=lambda facts: bool((first_labels(facts)[:, 0] == start_of(facts)).all()),
    applies_to=("whisper", "e2e", "mt5"),
)
def start_left_in_labels(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [start_of(facts), *ids]))
