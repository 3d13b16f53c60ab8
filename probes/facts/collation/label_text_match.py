"""Compares the labels of collated items with the tokens of their texts: whole, cut at either end, or another text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from probes.facts.collation.types import CollatedSample, DatasetItem, LabelTextMatch, LabelTextMatches
from probes.facts.core.tokens import Encode

FEWEST = 4  # rows that lack the same number of tokens
HEAD = 2  # tokens that may be lost in front: one for each shift too many


@dataclass(frozen=True)
class TokenizerView:
    """A tokenizer's view of texts: how they are encoded, which ids are special, which end a row."""

    encode: Encode
    special: Mapping[int, str]
    ends: Sequence[int] = ()
    start: int | None = None  # a collator cuts it off where the model puts it in front itself

    def text(self, ids: Sequence[int]) -> list[int]:
        ids = ids[1:] if ids and ids[0] == self.start else ids
        return [token for token in ids if token >= 0 and token not in self.special]


def targets_of(
    collation: CollatedSample, tokenizer: TokenizerView, sampled: Sequence[Mapping[str, str]] = ()
) -> LabelTextMatches:
    """Every row of the collated labels; `sampled` are texts of further rows, counted against the limit found."""
    items, labels = collation.items, collation.labels
    whole = bool(items) and len(labels) % len(items) == 0  # a collator may repeat its items, once for each task
    rows = tuple(
        _target(ids, number % len(items) if whole else -1, number // len(items), collation, tokenizer)
        for number, ids in enumerate(labels)
    )
    parts, limit = len(labels) // len(items) if whole else 0, _limit(rows)
    if limit is None:
        if tail := _tail(rows, items, tokenizer):
            return LabelTextMatches(rows, items, parts, tail=tail)
        unknown: dict[str, Any] = {"columns": (), "missing_at_end": 0, "missing_at_start": 0}
        known = tuple(replace(row, **unknown) if row.missing_at_end else row for row in rows)
        return LabelTextMatches(known, items, parts)
    cut = {row.column for row in rows if row.missing_at_end}
    texts = [text for row in sampled for name, text in row.items() if name in cut]
    over = sum(len(tokenizer.encode(text, "text_target")) > limit for text in texts)
    return LabelTextMatches(rows, items, parts, limit, over, len(texts))


def _limit(rows: Sequence[LabelTextMatch]) -> int | None:
    """Where labels are cut, all that are cut are equally long and none is longer; a summary may begin as its source."""
    lengths = {row.length for row in rows if row.missing_at_end}
    longest = max((row.length for row in rows), default=0)
    return longest if lengths == {longest} else None


def _tail(rows: Sequence[LabelTextMatch], items: Sequence[DatasetItem], tokenizer: TokenizerView) -> int:
    """What all rows lack at their end, in rows of several lengths; a summary does not stop so close to its source's."""
    lost = {row.missing_at_end for row in rows}
    alike = len(lost) == 1 and len(rows) >= FEWEST and len({row.length for row in rows}) > 1
    tail = max(lost, default=0)
    if not alike or not 0 < tail <= HEAD or not all(row.columns and row.item >= 0 for row in rows):
        return 0
    texts = [items[row.item].texts.get(row.column, "") for row in rows]
    ends = {tuple(tokenizer.text(tokenizer.encode(text, "text_target"))[-tail:]) for text in texts}
    return tail if len(ends) > 1 else 0  # a full stop that is taken off every text is meant


def _target(
    ids: Sequence[int], number: int, part: int, collation: CollatedSample, tokenizer: TokenizerView
) -> LabelTextMatch:
    item = collation.items[number] if number >= 0 else DatasetItem("")
    scored = [token for token in ids if token >= 0]
    start = next((place for place, token in enumerate(ids) if token >= 0 and token not in tokenizer.special), len(ids))
    known = {name: tokenizer.text(tokenizer.encode(text, "text_target")) for name, text in item.texts.items()}
    if item.labels is not None:
        known["labels"] = tokenizer.text(item.labels)
    found = {name: lost for name, text in known.items() if (lost := _lost(ids, start, text, tokenizer)) is not None}
    best = min(found.values(), key=sum, default=(0, 0, 0))
    return LabelTextMatch(
        where=item.where,
        item=number,
        task_index=part,
        prefix=tuple(tokenizer.special[token] for token in ids[:start] if token >= 0),
        columns=tuple(name for name, lost in found.items() if lost == best),
        missing_at_start=best[0],
        masked=best[1],
        missing_at_end=best[2],
        ended=bool(scored) and scored[-1] in tokenizer.ends,
        length=len(scored),
        as_source=any(_is_source(scored, text, tokenizer.encode) for text in item.texts.values()),
    )


def _lost(ids: Sequence[int], start: int, text: Sequence[int], tokenizer: TokenizerView) -> tuple[int, int, int] | None:
    """Tokens lost in front, in the midst (-100 there) and behind; None where the labels are not of this text."""
    own = tokenizer.text(ids)
    if not own or len(own) > len(text):
        return None
    for front in range(min(HEAD, len(text) - len(own)) + 1):
        if list(text[front : front + len(own)]) == own:
            return front, 0, len(text) - len(own) - front
    for first in {start, start - (len(text) - len(own))}:  # the holes may lie before the first token that is left
        body = ids[max(0, first) : max(0, first) + len(text)]
        if len(body) == len(text) and all(one in (other, -100) for one, other in zip(body, text, strict=True)):
            return 0, len(text) - len(own), 0
    return None


def _is_source(scored: Sequence[int], text: str, encode: Encode) -> bool:
    """Whether the labels are encoded as a source; False if the tokenizer encodes both sides alike."""
    source = encode(text, "text")
    return source != encode(text, "text_target") and list(scored) == source
