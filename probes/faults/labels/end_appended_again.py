from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import first_labels, with_target_rows


@change_fault(
    with_target_rows,
    "an end token is appended to labels that have one",
    "LAB035",
    lambda f: all(row.count(f["tokenizer"].eos_token_id) > 1 for row in first_labels(f).tolist()),
    ("e2e", "hybrid", "mt5"),
)
def end_appended_again(ids: list[int]) -> list[int]:
    return [*ids, ids[-1]]
