from diagnose import fault
from probes.faults.changes import Facts, by_row, first_labels, with_targets


def _lost(facts: Facts) -> bool:
    """The first token of the first sentence is not there."""
    text = facts["train_dataset"][0]["transcript"]
    return int(first_labels(facts)[0, 0]) != facts["tokenizer"](text)["input_ids"][0]


@fault(
    id="labels_moved_left",
    breaks="the collator moves the labels to the left, and the model shifts as if it had not",
    named_by="LAB010",
    proof=_lost,
    applies_to=("e2e", "hybrid", "mt5"),
)
def labels_moved_left(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: ids[1:]))
