from typing import Any

from diagnose import fault
from probes.faults.changes import SEQUENCES, Facts, first_labels, with_targets

BELOW = 300  # somebody thought that all special tokens, and nothing else, lie below


def _holed(facts: Facts) -> bool:
    rows = [[place for place, token in enumerate(row) if token >= 0] for row in first_labels(facts).tolist()]
    return any(row and row[-1] - row[0] + 1 > len(row) for row in rows)


def _masked(labels: Any) -> Any:
    return labels.masked_fill(labels < BELOW, -100)


@fault(
    id="text_masked_by_id",
    breaks="the collator masks every id below 300, text among them",
    named_by="LAB004",
    proof=_holed,
    applies_to=SEQUENCES,
)
def text_masked_by_id(facts: Facts) -> Facts:
    return with_targets(facts, _masked)
