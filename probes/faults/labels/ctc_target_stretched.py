from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, first_labels, with_targets

MORE = 60


@fault(
    "the targets have more symbols than the encoder leaves frames",
    "LAB018",
    lambda facts: first_labels(facts).shape[1] > MORE,
    ("hybrid",),
)
def ctc_target_stretched(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [*ids[:1], *ids[1:2] * MORE, *ids[1:]]))
