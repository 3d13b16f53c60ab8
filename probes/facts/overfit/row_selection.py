"""Selects the rows to overfit: a few whose labels and inputs differ, from the collator's own output."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import input_of, rows_of, rows_of_batch, select_rows
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.step_setup import LabelsOf
from probes.facts.overfit.entropy_floors import prefix_entropy_sum

FEW = 3  # rows: enough to be mistaken for each other, few enough to be learnt soon
LOOKED_AT = 16  # rows of a batch among which they are chosen
IGNORED = -100


@dataclass(frozen=True)
class OverfitBatch:
    """One batch of several rows, or several batches of one; labels as they are scored, row by row."""

    batches: tuple[Any, ...]
    labels: tuple[tuple[int, ...], ...]  # empty where the labels are no whole numbers
    where: str
    has_other_rows: bool = True  # False: nothing tells its rows apart, or they belong together


@dataclass(frozen=True)
class _CandidateRow:
    batch: int
    row: int
    labels: tuple[Any, ...] | None
    inputs: Any

    def differs(self, other: "_CandidateRow") -> bool:
        apart = self.labels is None or self.labels != other.labels
        return apart and not _same(self.inputs, other.inputs)


def select_overfit_rows(batches: Sequence[Any], labels_of: LabelsOf, may_cut: bool = True) -> OverfitBatch:
    """From the first batch in which rows can be told apart; where each has one row, from as many as there are."""
    sizes = [rows_of_batch(batch, labels_or_none(labels_of, batch)) for batch in batches]
    found = [_rows(number, batch, labels_of, sizes[number]) for number, batch in enumerate(batches)]
    if sizes[0] == 1:
        chosen = _chosen([rows[0] for rows in found])
        parts = tuple(select_rows(batches[row.batch], [row.row], sizes[row.batch]) for row in chosen)
        where = f"batches {', '.join(str(row.batch) for row in chosen)}, row 0 of each"
        return OverfitBatch(parts, _labels(chosen), where)
    refusals = [] if may_cut else [NotApplicable("its rows belong together")]
    for number, rows in enumerate(found if may_cut else ()):
        try:
            chosen = _chosen(rows)
        except NotApplicable as refusal:
            refusals.append(refusal)
            continue
        numbers = [row.row for row in chosen]
        where = f"batch {number}, rows {', '.join(map(str, numbers))}"
        return OverfitBatch((select_rows(batches[number], numbers, sizes[number]),), _labels(chosen), where)
    raise refusals[0]


def whole_batch(batch: Any, labels_of: LabelsOf) -> OverfitBatch:
    """All rows: of a batch that cannot be cut, or in which nothing tells rows apart."""
    labels = labels_or_none(labels_of, batch)
    if isinstance(labels, torch.Tensor) and labels.numel() and bool((labels == IGNORED).all()):
        raise NotApplicable(f"all labels are {IGNORED}: none is scored")
    rows = [] if labels is None else [row for row in _label_rows(labels) if row is not None]
    return OverfitBatch((batch,), tuple(rows) if _are_whole(rows) else (), "batch 0", has_other_rows=False)


def _rows(number: int, batch: Any, labels_of: LabelsOf, rows: int) -> list[_CandidateRow]:
    labels, read = labels_or_none(labels_of, batch), input_of(batch)
    known = [None] * rows if labels is None else _label_rows(labels)
    if len(known) != rows:
        raise NotApplicable("the labels do not have one entry per row")
    inputs = [None if read is None else read[1][row] for row in range(rows)]
    return [_CandidateRow(number, row, known[row], inputs[row]) for row in range(min(rows, LOOKED_AT))]


def _label_rows(labels: Any) -> list[tuple[Any, ...] | None]:
    """The labels of each row that are scored; None for those that are no numbers."""
    with suppress(TypeError, ValueError, RuntimeError):
        if whole := [tuple(token for token in row if token >= 0) for row in rows_of(labels)]:
            return whole  # type: ignore[return-value]
        return [tuple(torch.as_tensor(one).flatten().tolist()) for one in labels]
    return [None for _ in labels] if hasattr(labels, "__len__") else []


def _chosen(rows: Sequence[_CandidateRow]) -> list[_CandidateRow]:
    """The two that are hardest to tell apart without their input, then others like them; short ones on a tie."""
    full = [row for row in rows if row.labels or row.labels is None]
    if len(full) < len(rows) and len(full) < 2:
        raise NotApplicable(f"{len(rows) - len(full)} of {len(rows)} rows have no scored label")
    if len(rows) < 2:
        raise NotApplicable("there is only one row: the influence of its input cannot be shown")
    pairs = [pair for pair in combinations(full, 2) if pair[0].differs(pair[1])]
    if not pairs:
        same = len({row.labels for row in full}) < 2
        raise NotApplicable(f"all {len(full)} rows have {'one label' if same else 'one input'}: nothing to distinguish")
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
    labels = [row.labels for row in rows if row.labels is not None]
    return tuple(labels) if _are_whole(labels) else ()


def _are_whole(rows: Sequence[tuple[Any, ...] | None]) -> bool:
    return all(isinstance(token, int) for row in rows for token in row or ())


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.shape == other.shape and torch.equal(one, other)
