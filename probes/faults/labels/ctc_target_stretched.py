from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import first_labels, with_target_rows

MORE = 60


@change_fault(
    with_target_rows,
    "the targets have more symbols than the encoder leaves frames",
    "LAB018",
    lambda facts: first_labels(facts).shape[1] > MORE,
    ("hybrid",),
)
def ctc_target_stretched(ids: list[int]) -> list[int]:
    return [*ids[:1], *ids[1:2] * MORE, *ids[1:]]
