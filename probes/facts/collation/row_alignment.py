"""Match each collated row to its item by input and by labels; they differ if the collator sorts one side only."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from probes.facts.collation.types import RowAlignment
from probes.facts.core.batch_rows import rows_of

ALIKE = 1e-4


def align_rows(
    alone: Sequence[Any], together: Any, labels_of: Callable[[Any], Any], input_of: Callable[[Any], Any]
) -> RowAlignment:
    """`alone` holds a batch of each item. Rows that are like no item, or like several, are not counted."""
    inputs = [_rows(input_of(batch)) for batch in alone]
    labels = [[_bare(ids) for ids in rows_of(labels_of(batch))] for batch in alone]
    reads, targets = _rows(input_of(together)), list(rows_of(labels_of(together)))
    if len(reads) != len(targets):  # the nodes of several graphs, or the boxes of several pictures, in one tensor
        return RowAlignment()
    pairs = zip(reads, targets, strict=True)
    known, apart = 0, []
    for number, (read, ids) in enumerate(pairs):
        heard = {item for item, rows in enumerate(inputs) if any(_same(read, row) for row in rows)}
        said = {item for item, rows in enumerate(labels) if _bare(ids) in rows}
        if heard and said:
            known += 1
            apart += [(number, min(heard), min(said))] if not heard & said else []
    return RowAlignment(known, tuple(apart))


def _rows(read: Any) -> list[torch.Tensor]:
    return list(read[1]) if read is not None and read[1].dim() else []


def _bare(ids: Sequence[int]) -> tuple[int, ...]:
    """Without what fills a row up: -100, or one id over and over."""
    kept = [token for token in ids if token != -100]
    while len(kept) > 1 and kept[-1] == kept[-2]:
        kept.pop()
    return tuple(kept)


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Where the shorter ends, the longer may go on with padding: what both have is compared."""
    if one.dim() != other.dim():
        return False
    cut = tuple(slice(0, min(a, b)) for a, b in zip(one.shape, other.shape, strict=True))
    a, b = one[cut].double(), other[cut].double()
    return a.numel() > 0 and bool(((a - b).abs() <= ALIKE * (1 + b.abs())).all())
