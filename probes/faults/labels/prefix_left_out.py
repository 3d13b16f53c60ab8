from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, with_targets

PREFIX = 3  # language, task, no timestamps


@fault(
    "rows of even length lose language and task, since a second tokenizer was built without them",
    "LAB025",
    lambda facts: len({row[0] for batch in facts["train_batches"] for row in batch["labels"].tolist()}) > 1,
    ("whisper",),
)
def prefix_left_out(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: ids if len(ids) % 2 else ids[PREFIX:]))
