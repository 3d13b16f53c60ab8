from diagnose import fault
from probes.faults.kit.changes import Facts, collate_rows, with_batches


@fault(
    "the mask is 1 on padding and 0 on input",
    "LAB021",
    lambda facts: not bool(collate_rows(facts, 0)["attention_mask"].any()),
    ("e2e", "mt5"),
)
def mask_turned_round(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: {**batch, "attention_mask": 1 - batch["attention_mask"]})
