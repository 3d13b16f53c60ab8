"""Predicts from the ranges of a float32 pass the first 16-bit overflow, and the headroom of the rest."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import frexp, log2
from typing import Any

from probes.facts.precision.format_types import FloatFormat, Key, OpRange
from probes.facts.precision.types import (
    BACKWARD,
    CONSTANT,
    FORWARD,
    WEIGHTS,
    FirstOverflow,
    GradientUnderflow,
    Headroom,
)

CAST = "_to_copy"
SCALED = ("mul", "div")  # a large factor makes no mask


class OverflowPrediction:
    """The results of a float32 pass, laid beside the types that a 16-bit pass gives to each."""

    def __init__(
        self, results: Sequence[OpRange], types: Mapping[Key, Any], form: FloatFormat, pure: bool = False
    ) -> None:
        self.results, self.form = results, form
        types = {key: str(kind).removeprefix("torch.") for key, kind in types.items()}
        usual = form.name if pure else ""  # of weights, data and constants
        self.narrow = [types.get(one.key, "" if one.key[3] else usual) == form.name for one in results]
        self.intentional: list[bool] = []  # large on purpose: a mask, or what was filled or added with one
        for result in results:
            self.intentional.append(self._is_intentional(result))

    def _is_intentional(self, result: OpRange) -> bool:
        if not self._overflows(result):
            return False
        large = [source for source in result.sources if self._overflows(self.results[source])]
        written = result.constant >= self.form.overflow_from and not result.key[3].startswith(SCALED)
        return written or not result.live or any(self.intentional[source] for source in large)

    def _overflows(self, result: OpRange) -> bool:
        return result.largest >= self.form.overflow_from

    def offenders(self) -> Iterator[FirstOverflow]:
        """In the order of the pass. A cast that cannot hold its input stands before the operation that wants it."""
        for number, result in enumerate(self.results):
            if result.phase in (BACKWARD, CONSTANT) or not self.narrow[number]:
                continue
            wide = [s for s in result.sources if self._overflows(self.results[s]) and not self.narrow[s]]
            cast = next((self.results[s] for s in wide if not self.intentional[s]), None)
            if cast is not None:
                yield self._offender(result, CAST, cast.largest)
            elif self._overflows(result) and not self.intentional[number]:
                yield self._offender(result, result.key[3], result.largest)

    def _offender(self, result: OpRange, operation: str, largest: float) -> FirstOverflow:
        return FirstOverflow(result.module, result.kind, result.key[2], operation, result.phase, largest, result.line)

    def gradient_overflow(self, scale: float) -> FirstOverflow | None:
        """The first gradient that overflows at this loss scale; a cast belongs to what the forward pass widened."""
        for number, result in enumerate(self.results):
            if result.phase != BACKWARD or not self.narrow[number]:
                continue
            sources = [self.results[s] for s in result.sources if not self.narrow[s]]
            cast = next(
                (s for s in sources if s.phase == BACKWARD and s.largest * scale >= self.form.overflow_from), None
            )
            if cast is not None:
                return self._offender(cast, CAST, cast.largest)
            if result.largest * scale >= self.form.overflow_from:
                return self._offender(result, result.key[3], result.largest)
        return None

    def headroom(self) -> tuple[Headroom, ...]:
        """Of each module the largest result that is narrow; least room first."""
        most: dict[str, Headroom] = {}
        for number, result in enumerate(self.results):
            if result.phase != FORWARD or not self.narrow[number] or self.intentional[number] or not result.live:
                continue
            if result.module not in most or most[result.module].largest < result.largest:
                room = Headroom(result.module, result.kind, result.key[3], result.largest, self.form.overflow_from)
                most[result.module] = room
        return tuple(sorted(most.values(), key=lambda room: room.bits))

    def gradients(self, scale: float) -> tuple[GradientUnderflow, ...]:
        """Of each module, at this loss scale; most lost first."""
        held: dict[tuple[str, str], list[OpRange]] = defaultdict(list)
        for number, result in enumerate(self.results):
            if result.phase == BACKWARD and self.narrow[number] and result.exponents:
                held[result.module, result.kind].append(result)
        shift = log2(scale)
        shares = [self._share(*name, results, shift, scale) for name, results in held.items()]
        return tuple(sorted(shares, key=lambda share: -share.lost))

    def _share(
        self, module: str, kind: str, results: Collection[OpRange], shift: float, scale: float
    ) -> GradientUnderflow:
        counts = [(power, count) for result in results for power, count in result.exponents.items()]
        return GradientUnderflow(
            module,
            kind,
            sum(count for _, count in counts),
            sum(count for power, count in counts if power + shift <= self.form.underflow_exponent),
            sum(count for power, count in counts if power + shift > self._top),
            scale * max(result.largest for result in results),
            any(one.phase == WEIGHTS and one.module.rpartition(".")[0] == module for one in self.results),
        )

    @property
    def _top(self) -> int:
        return frexp(self.form.overflow_from)[1]

    def collided(self) -> tuple[OpRange, ...]:
        """Whole numbers that the format cannot tell apart any more."""
        return tuple(
            result for number, result in enumerate(self.results) if self.narrow[number] and result.whole > result.apart
        )
