from diagnose import fault
from probes.faults.kit.changes import Facts, collate_rows, drop_keys, with_batches


@fault(
    "the collator returns no attention mask",
    "LAB020",
    lambda facts: "attention_mask" not in collate_rows(facts, 0),
    ("e2e", "mt5"),
)
def mask_left_out(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: drop_keys(batch, "attention_mask"))
