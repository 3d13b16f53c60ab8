"""Runs that look well by their losses and say nothing of worth: their texts, and the figures made of them."""

from collections.abc import Callable
from typing import Any

from probes.faults.changes import SEQUENCES, Facts
from probes.faults.steps_wrong import last, run

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


@run("run_teaches_the_end_alone", "all labels but the end are masked", "STP022", lambda r: not any(texts(r)), MT5)
def run_teaches_the_end_alone(facts: Facts) -> dict[str, Any]:
    end = facts["tokenizer"].eos_token_id
    return taught(facts, lambda labels: labels.masked_fill(labels != end, -100))


@run(
    "run_teaches_one_token",
    "every label is the same token",
    "STP022",
    lambda r: all(len(set(text)) < 0.2 * len(text) for text in texts(r)),
    MT5,
)
def run_teaches_one_token(facts: Facts) -> dict[str, Any]:
    letter = facts["tokenizer"].encode("a", add_special_tokens=False)[0]
    return taught(facts, lambda labels: labels * 0 + letter)


@run(
    "run_teaches_other_numbers",
    "the labels are numbers of another vocabulary",
    "STP022",
    lambda r: any("\ufffd" in text for text in texts(r)),
    MT5,
)
def run_teaches_other_numbers(facts: Facts) -> dict[str, Any]:
    size = facts["model"].config.vocab_size
    special = len(facts["tokenizer"].all_special_ids)

    def other(labels: Any) -> Any:
        moved = special + (labels - special + size // 2) % (size - special)
        return moved.where(labels >= special, labels)

    return taught(facts, other)


@run(
    "run_compares_numbers_with_names",
    "the metric compares classes with their names",
    "STP021",
    lambda r: last(r, "evaluation.accuracy") == 0,
    ("classifier",),
)
def run_compares_numbers_with_names(facts: Facts) -> dict[str, Any]:
    def metric(model: Any, batch: Any) -> float:
        right = [str(said) == meant for said, meant in zip(model(batch[0]).argmax(-1), batch[1].tolist(), strict=True)]
        return sum(right) / len(right)

    return {"steps": 600, "evaluate_every": 150, "metric": metric}


@run(
    "run_climbs",
    "the update goes up the gradient",
    "STP025",
    lambda r: last(r, "loss") > 1.5 * r.rows[0].loss,
    SEQUENCES,
)
def run_climbs(facts: Facts) -> dict[str, Any]:
    def turn(step: int, model: Any) -> None:
        for group in facts["optimizer"].param_groups:
            group["maximize"] = True

    return {"before": turn, "steps": 10, "rate": lambda step: 30.0 * min(1.0, step / 5)}
