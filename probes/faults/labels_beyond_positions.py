from diagnose import fault
from probes.faults.changes import Facts, by_row, first_labels, with_targets

MORE = 80


@fault(
    id="labels_beyond_positions",
    breaks="labels are longer than the decoder's table of positions",
    named_by="LAB017",
    proof=lambda facts: first_labels(facts).shape[1] > MORE,
    applies_to=("whisper", "e2e"),
)
def labels_beyond_positions(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [*ids[:-1], *ids[-2:-1] * MORE, ids[-1]]))
