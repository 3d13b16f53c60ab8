"""Finds by how many positions labels, decoder inputs and loss targets are shifted against each other."""

from collections.abc import Sequence

from probes.facts.labels.types import LabelShift

Rows = Sequence[Sequence[int]]
SHIFTS = (0, 1, 2)
ENOUGH = 0.9  # of the positions: specials and padding aside, a copy agrees everywhere, and a wrong shift in a tenth


def measure_label_shift(labels: Rows, decoder_inputs: Rows, targets: Rows, follows: int | None = None) -> LabelShift:
    """Shifts that cannot be determined (constant rows, classes instead of tokens) are None."""
    return LabelShift(
        first=tuple(row[0] for row in decoder_inputs if row),
        input_shift=shift_of(decoder_inputs, labels),
        target_shift=shift_of(labels, targets),
        follows=follows,
    )


def shift_of(later: Rows, earlier: Rows) -> int | None:
    """By how many positions `later` repeats `earlier`; only where `earlier` holds an id."""
    shares = {shift: _agreement(later, earlier, shift) for shift in SHIFTS}
    best = max(shares, key=lambda shift: shares[shift])
    tied = [shift for shift in SHIFTS if shares[shift] == shares[best]]
    return best if shares[best] >= ENOUGH and len(tied) == 1 else None


def _agreement(later: Rows, earlier: Rows, shift: int) -> float:
    pairs = [
        (row[place + shift], token)
        for row, before in zip(later, earlier, strict=False)
        for place, token in enumerate(before)
        if token >= 0 and place + shift < len(row)
    ]
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else 0.0
