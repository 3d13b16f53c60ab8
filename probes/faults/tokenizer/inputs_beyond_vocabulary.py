from diagnose import fault
from probes.faults.kit.changes import Facts, collate_rows, with_batches

FAR = 10_000


@fault(
    "inputs have ids that the model has no row for",
    "TOK013",
    lambda facts: int(collate_rows(facts, 0)["input_ids"].max()) >= FAR,
    ("mt5",),
)
def inputs_beyond_vocabulary(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: {**batch, "input_ids": batch["input_ids"] + FAR})
