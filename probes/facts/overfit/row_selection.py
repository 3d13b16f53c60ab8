"""Selects the rows to overfit: a few whose labels and inputs differ, from the collator's own output."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import CannotSplitBatch, input_of, rows_of, rows_of_batch, select_rows
from probes.facts.core.step_setup import LabelsOf
from probes.facts.overfit.entropy_floors import prefix_entropy_sum

FEW = 3  # rows: enough to be mistaken for each other, few enough to be learnt soon
LOOKED_AT = 16  # rows of a batch among which they are chosen


@dataclass(frozen=True)
class OverfitBatch:
    """One batch of several rows, or several batches of one; labels as they are scored, row by row."""

    batches: tuple[Any, ...]
    labels: tuple[tuple[int, ...], ...]  # empty where the labels are no whole numbers
    where: str


@dataclass(frozen=True)
class _CandidateRow:
    batch: int
    row: int
    labels: tuple[int, ...] | None
    inputs: Any

    def differs(self, other: "_CandidateRow") -> bool:
        return self.labels != other.labels and not _same(self.inputs, other.inputs)


def select_overfit_rows(batches: Sequence[Any], labels_of: LabelsOf) -> OverfitBatch:
    """From the first batch; where that has one row, from as many batches as there are."""
    try:
        sizes = [rows_of_batch(batch, labels_of(batch)) for batch in batches]
    except CannotSplitBatch:
        return _whole(batches[0], labels_of)
    if sizes[0] > 1:
        chosen = _chosen(_rows(0, batches[0], labels_of, sizes[0]))
        numbers = [row.row for row in chosen]
        batch, where = select_rows(batches[0], numbers, sizes[0]), f"batch 0, rows {', '.join(map(str, numbers))}"
        return OverfitBatch((batch,), _labels(chosen), where)
    found = [row for number, batch in enumerate(batches) for row in _rows(number, batch, labels_of, sizes[number])[:1]]
    chosen = _chosen(found)
    parts = tuple(select_rows(batches[row.batch], [row.row], sizes[row.batch]) for row in chosen)
    return OverfitBatch(parts, _labels(chosen), f"batches {', '.join(str(row.batch) for row in chosen)}, row 0 of each")


def _whole(batch: Any, labels_of: LabelsOf) -> OverfitBatch:
    """A batch that cannot be cut is learnt as it is."""
    rows = [tuple(token for token in row if token >= 0) for row in rows_of(labels_of(batch))]
    if rows and len(set(rows)) < 2:
        raise NotApplicable("the batch cannot be cut into rows, and its rows have one label")
    return OverfitBatch((batch,), tuple(rows), "batch 0")


def _rows(number: int, batch: Any, labels_of: LabelsOf, rows: int) -> list[_CandidateRow]:
    labels, read = labels_of(batch), input_of(batch)
    if labels is None:
        raise NotApplicable("the batches hold no 'labels' and are no pairs: give labels_of")
    whole = [tuple(token for token in row if token >= 0) for row in rows_of(labels)]
    known: Sequence[Any] = (
        whole if len(whole) == rows else [tuple(torch.as_tensor(one).flatten().tolist()) for one in labels]
    )
    inputs = [None if read is None else read[1][row] for row in range(rows)]
    return [_CandidateRow(number, row, known[row], inputs[row]) for row in range(min(rows, LOOKED_AT))]


def _chosen(rows: Sequence[_CandidateRow]) -> list[_CandidateRow]:
    """The two that are hardest to tell apart without their input, then others like them; short ones on a tie."""
    full = [row for row in rows if row.labels]
    if len(full) < len(rows) and len(full) < 2:
        raise NotApplicable(f"{len(rows) - len(full)} of {len(rows)} rows have no label that is scored")
    if len(rows) < 2:
        raise NotApplicable("there is one row in all: nothing shows whether its input matters")
    pairs = [pair for pair in combinations(full, 2) if pair[0].differs(pair[1])]
    if not pairs:
        same = len({row.labels for row in full}) < 2
        raise NotApplicable(f"all {len(full)} rows have {'one label' if same else 'one input'}: nothing to tell apart")
    chosen = list(max(pairs, key=_entropy_per_label))
    while len(chosen) < FEW:
        more = [row for row in full if all(row.differs(other) for other in chosen)]
        if not more:
            break
        chosen.append(max(more, key=lambda row: _entropy_per_label([*chosen, row])))
    return sorted(chosen, key=lambda row: (row.batch, row.row))


def _entropy_per_label(rows: Iterable[_CandidateRow]) -> tuple[float, int]:
    labels = [row.labels or () for row in rows]
    if any(not isinstance(token, int) for row in labels for token in row):
        return 0.0, 0
    return prefix_entropy_sum(labels) / max(sum(map(len, labels)), 1), -sum(map(len, labels))


def _labels(rows: Sequence[_CandidateRow]) -> tuple[tuple[int, ...], ...]:
    labels = [row.labels or () for row in rows]
    return tuple(labels) if all(isinstance(token, int) for row in labels for token in row) else ()


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.shape == other.shape and torch.equal(one, other)


def rows_with_changed_labels(one: Any, other: Any, labels_of: LabelsOf) -> int:
    """Rows whose labels differ between two batches of the same items whose inputs are the same to the bit."""
    labels, read = [labels_of(batch) for batch in (one, other)], [input_of(batch) for batch in (one, other)]
    if read[0] is None or read[1] is None or not _same(read[0][1], read[1][1]):
        return 0  # drawn anew together, as masking does: each label follows its input
    if not all(isinstance(some, torch.Tensor) for some in labels) or labels[0].shape != labels[1].shape:
        return 0
    return int((labels[0] != labels[1]).reshape(len(labels[0]), -1).any(1).sum())


def is_language_model_batch(batch: Any, labels: Any) -> bool:
    """Whether this is a language model's batch: the labels are its input."""
    read = input_of(batch)
    if read is None or not isinstance(labels, torch.Tensor) or read[1].shape != labels.shape or labels.dim() < 2:
        return False
    scored = labels >= 0
    return bool(scored.any()) and float((read[1] == labels)[scored].float().mean()) > 0.9
