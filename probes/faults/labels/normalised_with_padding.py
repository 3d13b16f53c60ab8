from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, collate_rows, eval_loader, with_batches

KEYS = ("input_values", "feats")


def _key(batch: Any) -> str:
    return next(key for key in KEYS if key in batch)


def _normalize(batch: Any) -> Any:
    values = batch[_key(batch)]
    return {**batch, _key(batch): (values - values.mean()) / (values.std() + 1e-5)}


def _shifts(facts: Facts) -> bool:
    """The first item's first value is another one beside a longer item."""
    alone, beside = (batch[_key(batch)][0] for batch in (collate_rows(facts, 0), collate_rows(facts, 0, 35)))
    return abs(float(alone.flatten()[0] - beside.flatten()[0])) > 1e-3


@fault("the collator normalizes the padded batch", "LAB024", _shifts, ("e2e", "hybrid"))
def normalised_with_padding(facts: Facts) -> Facts:
    broken = with_batches(facts, _normalize)
    return {**broken, "eval_batches": eval_loader(broken)}
