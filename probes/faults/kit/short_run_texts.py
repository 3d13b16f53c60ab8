"""Runs that look well by their losses and say nothing of worth: their texts, and the figures made of them."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts

LONG = 510  # steps: before five hundred a model may well say nothing of sense


MT5 = ("mt5",)


def texts(records: Any) -> list[str]:
    return [one.text for one in records.rows[-1].texts]


def taught(facts: Facts, change: Callable[[Any], Any]) -> dict[str, Any]:
    """One row a batch with other labels; in the evaluation the texts are the right ones."""
    batches = [{name: value[:1] for name, value in batch.items()} for batch in facts["train_batches"]]
    facts["train_batches"] = [{**batch, "labels": change(batch["labels"])} for batch in batches]
    facts["eval_batches"] = list(facts["eval_batches"])[:1]
    return {"steps": LONG, "evaluate_every": LONG, "speaks": True}
