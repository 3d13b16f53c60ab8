"""Batches of two tasks, each item once for either, and what may go wrong with the halves."""

from collections.abc import Sequence
from typing import Any

from probes.faults.kit.changes import Facts, collate_rows, label_key, replace_labels
from probes.faults.kit.tokenizer_changes import with_collator, with_tokens

TASKS = ("<2transcribe>", "<2translate>")
RIGHT = ("transcript", "translation")


def task_labels(tokenizer: Any, items: list[Any], columns: Sequence[str], fewer: int) -> Any:
    """Task, text, end: the first half of the rows for one task, the rest for the other."""
    import torch

    halves = [(task, item[column]) for task, column in zip(TASKS, columns, strict=True) for item in items]
    rows = [
        [
            tokenizer.convert_tokens_to_ids(task),
            *tokenizer.encode(text, add_special_tokens=False),
            tokenizer.eos_token_id,
        ]
        for task, text in halves[: len(halves) - fewer]
    ]
    padded = [torch.tensor(row) for row in rows]
    return torch.nn.utils.rnn.pad_sequence(padded, batch_first=True, padding_value=-100)


def two_tasks(facts: Facts, columns: Sequence[str] = RIGHT, fewer: int = 0) -> Facts:
    """The subject on items with a transcript and a translation, `fewer` rows missing from each batch of two halves."""
    import torch

    if has_both(facts):
        return with_task_columns(facts, columns, fewer)
    broken, sentences = with_tokens(facts, *TASKS), facts["train_dataset"]
    items: Any = [
        {**sentences[n], "translation": other_text(sentences[n]["transcript"])} for n in range(len(sentences))
    ]

    def collate(chosen: list[Any]) -> Any:
        batch, missing = facts["collate"](chosen), fewer if len(chosen) > 1 else 0
        labels = task_labels(broken["tokenizer"], chosen, columns, missing)
        twice = {name: torch.cat([value, value])[: len(labels)] for name, value in batch.items()}
        return replace_labels(twice, labels)

    return with_collator(broken, collate, items)


def other_text(text: str) -> str:
    """Another text, about as long."""
    return " ".join(reversed(text.split()))


def has_both(facts: Facts) -> bool:
    """Each item twice already, with a text for either task."""
    return set(RIGHT) <= set(facts["train_dataset"][0]) and len(scored_rows(facts)) == 4


def with_task_columns(facts: Facts, columns: Sequence[str], fewer: int) -> Facts:
    """The run's own collator, which reads these columns for its tasks."""

    def collate(chosen: list[Any]) -> Any:
        pairs = list(zip(RIGHT, columns, strict=True))
        batch = facts["collate"]([{**item, **{name: item[column] for name, column in pairs}} for item in chosen])
        rows = len(batch[label_key(batch)])
        number = rows - (fewer if len(chosen) > 1 else 0)
        return {name: value[:number] if len(value) == rows else value for name, value in batch.items()}

    return with_collator(facts, collate)


def text_rows(facts: Facts) -> list[list[int]]:
    """Rows without the tokens of their tasks and ends."""
    from probes.facts.core.tokens import special_tokens

    return [[token for token in row if token not in special_tokens(facts["tokenizer"])] for row in scored_rows(facts)]


def scored_rows(facts: Facts) -> list[list[int]]:
    batch = collate_rows(facts, 0, 1)
    return [[token for token in row if token >= 0] for row in batch[label_key(batch)].tolist()]
