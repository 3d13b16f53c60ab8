from diagnose import fault
from probes.faults.kit.changes import Facts, first_labels, with_targets

FAR = 10_000


@fault(
    id="label_beyond_vocabulary",
    description="some labels have an id that the model has no row for",
    probe_id="LAB015",
    is_present=lambda facts: int(first_labels(facts).max()) == FAR,
    applies_to=("whisper", "e2e", "mt5"),
)
def label_beyond_vocabulary(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: labels.masked_fill(labels == labels.max(), FAR))
