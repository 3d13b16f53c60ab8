from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, first_labels, with_targets


def _ends(row: list[int], end: int) -> int:
    return row.count(end)


@fault(
    "an end token is appended to labels that have one",
    "LAB035",
    lambda f: all(_ends(row, f["tokenizer"].eos_token_id) > 1 for row in first_labels(f).tolist()),
    ("e2e", "hybrid", "mt5"),
)
def end_appended_again(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [*ids, ids[-1]]))
