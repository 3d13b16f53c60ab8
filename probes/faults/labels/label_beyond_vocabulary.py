from diagnose import fault
from probes.faults.kit.changes import Facts, first_labels, with_targets

FAR = 10_000


@fault(
    "some labels have an id that the model has no row for",
    "LAB015",
    lambda facts: int(first_labels(facts).max()) == FAR,
    ("whisper", "e2e", "mt5"),
)
def label_beyond_vocabulary(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: labels.masked_fill(labels == labels.max(), FAR))
