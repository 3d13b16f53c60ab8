from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_targets


def _has_gaps(facts: Facts) -> bool:
    rows = [[place for place, token in enumerate(row) if token >= 0] for row in first_labels(facts).tolist()]
    return any(row and row[-1] - row[0] + 1 > len(row) for row in rows)


def _middle(facts: Facts) -> int:
    """Somebody thought that all special tokens, and nothing else, lie below this id."""
    ids = sorted(token for token in first_labels(facts).flatten().tolist() if token >= 0)
    return ids[len(ids) // 2]


@fault("the collator masks every id below a number, text among them", "LAB004", _has_gaps, SEQUENCES)
def text_masked_by_id(facts: Facts) -> Facts:
    below = _middle(facts)
    return with_targets(facts, lambda labels: labels.masked_fill(labels < below, -100))
