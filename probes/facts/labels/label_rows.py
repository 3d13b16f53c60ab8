"""Measures labels row by row: what is scored, what is padding, and whether padding is scored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from probes.facts.core.batch_rows import rows_of
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import CtcRow, EndTokens, LabelRow, SourceLabelPair

IGNORED = -100


def label_rows_of(
    batches: Sequence[Any], labels_of: Callable[[Any], Any], special: SpecialIds, unscored: Sequence[int] = ()
) -> tuple[LabelRow, ...]:
    """One entry for each row of each batch. `unscored`: ids that the loss was seen to skip, beside -100."""
    return tuple(
        _row(batch, number, ids, special, {IGNORED, *unscored})
        for batch, drawn in enumerate(batches)
        for number, ids in enumerate(rows_of(labels_of(drawn)))
    )


def _row(batch: int, number: int, ids: list[int], special: SpecialIds, unscored: set[int]) -> LabelRow:
    scored = [token for token in ids if token not in unscored]
    tail = padding_length(ids, special) if len(ids) > 1 else 0  # a single label per row is a class
    inside = [token for token in ids[len(ids) - tail :] if token not in unscored]
    return LabelRow(
        where=f"batch {batch}, row {number}",
        batch=batch,
        length=len(ids),
        scored=len(scored),
        padding=tail,
        scored_padding=len(inside),
        padding_token=inside[0] if inside else None,
        first=scored[0] if scored else None,
        last=scored[-1] if scored else None,
        ids=tuple(ids),
    )


def padding_length(ids: Sequence[int], special: SpecialIds) -> int:
    """How many positions at the end hold padding. Where padding is the end token, the first of them is the end."""
    start = len(ids)
    while start and (ids[start - 1] == IGNORED or ids[start - 1] in special.padding):
        start -= 1
    if special.end in special.padding and start < len(ids) and ids[start] == special.end:
        start += 1
    return len(ids) - start


def endings_of(rows: Sequence[LabelRow], special: SpecialIds) -> EndTokens:
    """A row without an end that is as long as any may be cut, and then needs none; unless no row ends."""
    without = [row for row in rows if not set(row.ids) & set(special.ends)]
    longest = max((row.scored for row in rows), default=0)
    some_end = len(without) < len(rows)
    cut = [row for row in without if some_end and row.scored == longest]
    room = [row.ids and row.ids[-1] == IGNORED for row in without]
    by_id = set(special.ends) & set(special.padding)  # padding is the end token: whoever masks by id masks both
    one_left = all(_narrowest(batch) == 1 for _, batch in groupby(without, key=lambda row: row.batch))
    return EndTokens(
        rows=len(rows),
        without=tuple(row for row in without if row not in cut),
        cut=tuple(cut),
        masked=not some_end and all(room) and (bool(by_id) or one_left),
        token=special.end,
    )


def _narrowest(batch: Iterable[LabelRow]) -> int:
    """How many positions the longest row of a batch leaves free."""
    return min(len(row.ids) - max(place for place, token in enumerate(row.ids, 1) if token >= 0) for row in batch)


def masked_ends_of(batches: Sequence[Any], labels_of: Callable[[Any], Any], special: SpecialIds) -> EndTokens | None:
    """Rows whose labels are their own inputs, to a last token that is an end; None where there is no such row."""
    rows, masked = 0, []
    for batch, drawn in enumerate(batches):
        found = [drawn.get(name) if hasattr(drawn, "get") else None for name in ("attention_mask", "input_ids")]
        columns = (rows_of(values) for values in (*found, labels_of(drawn)))
        for number, (seen, line, row) in enumerate(zip(*columns, strict=False)):
            pairs = [(token, label) for token, label, one in zip(line, row, seen, strict=False) if one]
            own = len(pairs) > 1 and all(label in (IGNORED, token) for token, label in pairs)
            if own and pairs[-1][0] in special.ends and pairs[-2][1] != IGNORED:
                rows += 1
                if pairs[-1][1] == IGNORED:
                    masked.append(LabelRow(f"batch {batch}, row {number}", batch, len(row), len(pairs)))
    every = tuple(masked) if len(masked) == rows else ()
    return EndTokens(rows, every, masked=True, token=special.end) if rows else None


def source_rows_of(
    batches: Sequence[Any], rows: Sequence[LabelRow], special: SpecialIds
) -> tuple[SourceLabelPair, ...]:
    """Only where the batch has as many inputs as labels."""
    sources = [list(rows_of(batch.get("input_ids"))) if hasattr(batch, "get") else [] for batch in batches]
    drop = {IGNORED, *special.padding, *special.ends}
    found = []
    for number, own in ((number, list(own)) for number, own in groupby(rows, key=lambda row: row.batch)):
        for row, ids in zip(own, sources[number], strict=False):
            target, read = ([token for token in line if token not in drop] for line in (row.ids, ids))
            found.append(SourceLabelPair(row.where, len(target), target == read))
    return tuple(found)


def strip_tail(row: Sequence[int]) -> list[int]:
    """Without what is repeated at its end, which may be padding that nobody masked, and without its last symbol."""
    ids = [token for token in row if token != IGNORED]
    while len(ids) > 1 and ids[-1] == ids[-2]:
        ids.pop()
    return ids[:-1]


def count_dropped_blanks(targets: Sequence[CtcRow], rows: Sequence[LabelRow]) -> tuple[CtcRow, ...]:
    """Counts the blanks that a loss drops from the labels silently: where the rest is the target."""
    labels = {row.where: row.ids for row in rows}
    dropped = {row.where: strip_tail(labels[row.where]).count(row.blank) for row in targets if _drops(row, labels)}
    return tuple(replace(row, blanks=max(row.blanks, dropped.get(row.where, 0))) for row in targets)


def dropped_by_ctc(targets: Sequence[CtcRow], labels: Any) -> tuple[int, ...]:
    """The blank, where the CTC loss takes it for padding and skips it; of the first batch."""
    ids = {f"batch 0, row {number}": tuple(row) for number, row in enumerate(rows_of(labels))}
    return tuple({row.blank for row in targets if _drops(row, ids)})


def _drops(row: CtcRow, labels: Mapping[str, tuple[int, ...]]) -> bool:
    ids = [token for token in labels.get(row.where, ()) if token != IGNORED]
    return row.blank in ids and row.symbols == len(ids) - ids.count(row.blank)


def ignored_ids(labels: Any, scored_positions: Sequence[Sequence[bool]], special: SpecialIds) -> tuple[int, ...]:
    """Padding ids that the loss skips though they are not -100 (a loss with an ignore_index of its own), as measured.

    The first position of the tail is left out: a loss that shifts its labels looks one position ahead.
    """
    scored_ids: dict[int, bool] = {}
    for ids, looked in zip(rows_of(labels), scored_positions, strict=False):
        for position in range(len(ids) - padding_length(ids, special) + 1, len(ids)):
            scored_ids[ids[position]] = scored_ids.get(ids[position], False) or looked[position]
    return tuple(sorted(token for token, scored in scored_ids.items() if not scored and token != IGNORED))
