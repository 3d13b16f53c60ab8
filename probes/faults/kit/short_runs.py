"""Runs with a fault in them: a short, real training of the subject, of which only the records are left."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnose import Fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts

Change = Callable[[Facts], dict[str, Any]]
TURN = 7  # the step at which something happens
LONG = 510  # steps: before five hundred the texts of any model may make no sense
MT5 = ("mt5",)


def run_fault(
    description: str, probe_id: str, is_present: Callable[[Any], bool], applies_to: tuple[str, ...] = ("*",)
) -> Callable[[Change], Fault]:
    """A fault whose function returns how the loop differs from a right one; `is_present` looks at the records."""

    def inject(facts: Facts, change: Change) -> Facts:
        from probes.subjects.short_run import LoopVariant, short_run

        records = short_run(facts, replace(LoopVariant(), **change(facts)))
        if not is_present(records):
            raise NotApplicable("the run bears it")
        return {"records": records}

    def is_in_records(facts: Facts) -> bool:
        return "records" in facts and is_present(facts["records"])

    return change_fault(inject, description, probe_id, is_in_records, applies_to)


def last(records: Any, name: str) -> float:
    return records.series(name).values[-1]


def first(records: Any, name: str) -> float:
    return records.series(name).values[0]


def generated_texts(records: Any) -> list[str]:
    return [one.text for one in records.rows[-1].texts]


def train_on_labels(facts: Facts, change: Callable[[Any], Any]) -> dict[str, Any]:
    """One row a batch with other labels; in the evaluation the texts are the right ones."""
    batches = [{name: value[:1] for name, value in batch.items()} for batch in facts["train_batches"]]
    facts["train_batches"] = [{**batch, "labels": change(batch["labels"])} for batch in batches]
    facts["eval_batches"] = list(facts["eval_batches"])[:1]
    return {"steps": LONG, "evaluate_every": LONG, "generates": True}
