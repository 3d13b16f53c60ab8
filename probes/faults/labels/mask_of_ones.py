from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import collate_rows, with_batches


def _lengths(batch: Any) -> list[int]:
    """How many positions of each row the mask lets through."""
    return (batch["attention_mask"].sum(1) if "attention_mask" in batch else batch["feat_lens"]).tolist()


@change_fault(
    with_batches,
    "the mask is made of the padded batch, so it covers the padding as well",
    "LAB022",
    lambda facts: len(set(_lengths(collate_rows(facts, 0, 35)))) == 1,
    ("e2e", "hybrid", "mt5"),
)
def mask_of_ones(batch: Any) -> Any:
    if "attention_mask" in batch:
        return {**batch, "attention_mask": batch["attention_mask"] * 0 + 1}
    return {**batch, "feat_lens": batch["feat_lens"] * 0 + batch["feats"].shape[1]}
