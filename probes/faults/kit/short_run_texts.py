"""Runs whose losses look well and whose generated texts are worth nothing."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts

LONG = 510  # steps: before five hundred the texts of any model may make no sense
MT5 = ("mt5",)


def generated_texts(records: Any) -> list[str]:
    return [one.text for one in records.rows[-1].texts]


def train_on_labels(facts: Facts, change: Callable[[Any], Any]) -> dict[str, Any]:
    """One row a batch with other labels; in the evaluation the texts are the right ones."""
    batches = [{name: value[:1] for name, value in batch.items()} for batch in facts["train_batches"]]
    facts["train_batches"] = [{**batch, "labels": change(batch["labels"])} for batch in batches]
    facts["eval_batches"] = list(facts["eval_batches"])[:1]
    return {"steps": LONG, "evaluate_every": LONG, "generates": True}
