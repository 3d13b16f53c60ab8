from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import with_target_rows

PREFIX = 3  # language, task, no timestamps


@change_fault(
    with_target_rows,
    "rows of even length lose language and task, since a second tokenizer was built without them",
    "LAB025",
    lambda facts: len({row[0] for batch in facts["train_batches"] for row in batch["labels"].tolist()}) > 1,
    ("whisper",),
)
def prefix_left_out(ids: list[int]) -> list[int]:
    return ids if len(ids) % 2 else ids[PREFIX:]
