"""A row alone and where it stands, padded, in a batch; the masks of both, and the same with less padding."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import MASKS, input_of, select_rows, tensors
from probes.facts.padding.cut_rows import cut_time
from probes.facts.padding.padded_batches import PaddedBatches
from probes.facts.padding.types import MaskCoverage

RANDOM = 1e-6


def relative_difference(one: torch.Tensor, other: torch.Tensor) -> float:
    """The largest difference, in units of the values' own spread."""
    return float((one - other).abs().max() / (one.std(correction=0) + 1e-12)) if one.numel() else 0.0


class PaddedRow:
    """The shortest item: alone, and where it stands in the batch of two."""

    def __init__(self, collation: PaddedBatches) -> None:
        read = [input_of(batch) for batch in (collation.alone, collation.second, collation.pair)]
        if any(one is None for one in read):
            raise NotApplicable("the batches have no input under a known key")
        (self.name, self.alone), (_, again), (_, self.pair) = (one for one in read if one is not None)
        if self.alone.shape != again.shape or not torch.allclose(self.alone.double(), again.double(), atol=RANDOM):
            raise NotApplicable("the collator is random: the same item gives different values")
        sides = [axis for axis in range(1, self.alone.dim()) if self.alone.shape[axis] != self.pair.shape[axis]]
        if len(sides) != 1 or self.alone.dim() != self.pair.dim():
            raise NotApplicable("inputs of different length are collated to one size: there is no padding to check")
        self.batches, self.axis = (collation.alone, collation.pair), sides[0]
        self.length, self.other = self.alone.shape[self.axis], self.pair.shape[self.axis]
        starts = (0, self.other - self.length)
        self.change, number, self.is_left = min((*self._nearest(start), start > 0) for start in starts)
        self.number: int | None = number if self.change < 1e-3 else None

    def _nearest(self, start: int) -> tuple[float, int]:
        """The smallest change of a row of the pair against the row alone, and the number of that row."""
        changes = [relative_difference(self.alone[0].double(), self._part(row, start).double()) for row in self.pair]
        return min(changes), changes.index(min(changes))

    def _part(self, row: torch.Tensor, start: int = 0) -> torch.Tensor:
        return row.narrow(self.axis - 1, start, self.length)

    def with_less_padding(self) -> tuple[Any, Any] | None:
        """The padded row by itself with half of its padding, and with all of it; None where there is too little.

        A convolution sees another edge where padding begins; how much padding follows must not matter.
        """
        half = (self.length + self.other) // 2
        if self.number is None or not self.length < half < self.other:
            return None
        whole = select_rows(self.batches[1], [self.number], len(self.pair))
        return cut_time(whole, self.other, half), whole

    def with_mask(self) -> tuple[Any, Any] | None:
        """Both batches with the attention mask that their inputs would have; None where their inputs are no rows."""
        if self.alone.dim() != 2 or not all(isinstance(batch, Mapping) for batch in self.batches):
            return None
        own = [relative_difference(self.alone[0].double(), self._part(row).double()) < 1e-3 for row in self.pair]
        lengths = torch.tensor([self.length if short else self.other for short in own])
        masks = (torch.ones_like(self.alone), torch.arange(self.other) < lengths[:, None])
        alone, pair = ({**batch, MASKS[0]: mask.long()} for batch, mask in zip(self.batches, masks, strict=True))
        return alone, pair

    def masks(self) -> Iterator[MaskCoverage]:
        """Masks of the input's length, and lengths that are the input's own when it is alone."""
        number = self.number or 0
        pair = dict(tensors(self.batches[1]))
        for name, alone in tensors(self.batches[0]):
            if name not in pair or alone.is_floating_point() or name == self.name:
                continue
            if name in MASKS and alone.dim() == 2 and alone.shape[1] == self.length:
                yield MaskCoverage(name, int(alone[0].sum()), int(pair[name][number].sum()), self._hidden(alone[0]))
            elif alone.dim() == 1 and int(alone[0]) == self.length:
                yield MaskCoverage(name, self.length, int(pair[name][number]))
            elif alone.dim() == 1 and name.startswith("feat") and 0 <= int(alone[0]) < self.length:
                yield MaskCoverage(name, int(alone[0]), int(pair[name][number]), self.length - int(alone[0]))

    def _hidden(self, mask: torch.Tensor) -> int:
        """A row alone may be padded as well, to a multiple of something: what equals its last value is not counted."""
        steps = self.alone[0].movedim(self.axis - 1, 0).reshape(self.length, -1)
        return int(((mask == 0) & (steps != steps[-1]).any(-1)).sum())
