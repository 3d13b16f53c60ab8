"""Rows that an evaluation counts twice: the same number drawn again, or a row that is the same in every value."""

from collections.abc import Iterator
from typing import Any

from probes.facts.core.batch_rows import CannotSplitBatch, rows_of_batch, select_rows
from probes.facts.core.batches import draw
from probes.facts.core.digest import digest_of
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.types import DrawnBatches
from probes.facts.splits.same_items import is_usual
from probes.facts.splits.types import RepeatedRows

MOST = 64  # batches of each set


def find_repeats(train_batches: Any, eval_batches: Any, labels_of: LabelsOf) -> RepeatedRows:
    """In the first batches; rows that training repeats as often are repeated by chance."""
    drawn = draw(eval_batches, MOST)
    require(drawn.failure is None and drawn.batches, "no batches of the evaluation set can be drawn")
    numbers = [number for batch in drawn.indices for number in batch]
    if again := _repeats(numbers):
        return RepeatedRows(len(numbers), len(again), f"row {again[0]} of the dataset")
    rows = dict(_keys(drawn, labels_of))
    again = _repeats(list(rows.values()))
    others = [key for _, key in _keys(draw(train_batches, MOST), labels_of)] if again else []
    count = 0 if is_usual(len(again), len(rows), len(_repeats(others)), len(others)) else len(again)
    return RepeatedRows(len(rows), count, next((where for where, key in rows.items() if again and key == again[0]), ""))


def _repeats(values: list[Any]) -> list[Any]:
    """Each value that stands there before, as often as it comes again."""
    seen: set[Any] = set()
    return [value for value in values if value in seen or seen.add(value)]  # type: ignore[func-returns-value]


def _keys(drawn: DrawnBatches, labels_of: LabelsOf) -> Iterator[tuple[str, str]]:
    for number, batch in enumerate(drawn.batches):
        try:
            rows = rows_of_batch(batch, labels_or_none(labels_of, batch))
        except CannotSplitBatch:
            continue
        for row in range(rows):
            yield f"batch {number}, row {row}", digest_of(select_rows(batch, [row], rows), unknown=repr)
