from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _let_through(batch: Any) -> list[int]:
    """How many positions of each row."""
    return (batch["attention_mask"].sum(1) if "attention_mask" in batch else batch["feat_lens"]).tolist()


def _open(batch: Any) -> Any:
    if "attention_mask" in batch:
        return {**batch, "attention_mask": batch["attention_mask"] * 0 + 1}
    return {**batch, "feat_lens": batch["feat_lens"] * 0 + batch["feats"].shape[1]}


@fault(
    "the mask is made of the padded batch, so it covers the padding as well",
    "LAB022",
    lambda facts: len(set(_let_through(facts["collate"]([facts["train_dataset"][n] for n in (0, 35)])))) == 1,
    ("e2e", "hybrid", "mt5"),
)
def mask_of_ones(facts: Facts) -> Facts:
    return with_batches(facts, _open)
