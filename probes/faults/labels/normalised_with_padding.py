from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, loader, with_batches

KEYS = ("input_values", "feats")


def _normal(batch: Any) -> Any:
    key = next(key for key in KEYS if key in batch)
    return {**batch, key: (batch[key] - batch[key].mean()) / (batch[key].std() + 1e-5)}


def _shifts(facts: Facts) -> bool:
    """The first item's first value is another one beside a longer item."""
    alone, pair = (facts["collate"]([facts["train_dataset"][n] for n in numbers]) for numbers in ((0,), (0, 35)))
    key = next(key for key in KEYS if key in alone)
    return abs(float(alone[key][0].flatten()[0] - pair[key][0].flatten()[0])) > 1e-3


@fault("the collator normalises the padded batch as a whole", "LAB024", _shifts, ("e2e", "hybrid"))
def normalised_with_padding(facts: Facts) -> Facts:
    broken = with_batches(facts, _normal)
    return {**broken, "eval_batches": loader(broken, shuffle=False)}
