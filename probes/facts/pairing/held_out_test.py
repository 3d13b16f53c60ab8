"""Predicts the targets of held-out rows: do the own targets fit better than swapped ones?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from probes.facts.pairing.kernel_ridge import VectorFit
from probes.facts.pairing.read_pairs import TargetKind
from probes.facts.pairing.shared_tokens import shared_tokens_of
from probes.facts.pairing.tag_counts import TagFit
from probes.facts.pairing.types import PairTest, SharedTokens

PERMUTATIONS = 1000  # the least that can show a chance of 1e-3; each is learned anew
STRETCH = 25  # rows; a shorter one is not looked at on its own
SHIFTS = (0, 1, -1, 2, -2, 3, -3)  # nought first: it wins a tie
APART = 5.0  # sigmas between two fits of deviation 1 each: one-sided 2e-4; rows that recur in turn fit at every shift
DOUBT = 1e-3  # a chance above which the power of the test is measured
SHARES, DRAWS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 5  # planted, smallest first
RICH = 30  # kinds of tokens in at least three targets; sums and dates are written with fewer


class Fit(Protocol):
    """What learns targets from inputs, each row from the rows of other folds."""

    def total(self, order: np.ndarray) -> float:
        """How well held-out predictions fit, with targets in this order."""

    def table(self, order: np.ndarray) -> np.ndarray:
        """[row, other row]: how well the other row's target fits, where rows were learned with targets in this order"""

    def varies(self, own: np.ndarray) -> bool:
        """Whether these rows differ enough to be looked at alone."""

    def planted(self, share: float, rng: np.random.Generator) -> float:
        """The total for a relation of known strength."""


def run_pair_tests(kind: TargetKind, stretches: Sequence[int], numbers: Sequence[int], name: str) -> Iterator[PairTest]:
    """All rows, then every stretch of them, with predictions at the shift that clearly fits best over all."""
    parts = np.asarray(stretches)
    fit: Fit = TagFit(*kind.tags) if kind.tags else VectorFit(kind.inputs, kind.targets)
    orders, rng = {shift: _order(parts, shift) for shift in SHIFTS}, np.random.default_rng(0)
    swapped = np.array([fit.total(rng.permutation(len(parts))) for _ in range(PERMUTATIONS)])
    if swapped.std() == 0:  # constant targets: there is nothing to predict
        return
    totals = {shift: fit.total(order) for shift, order in orders.items()}
    z_scores = {shift: _standardized(total, swapped) for shift, total in totals.items()}
    best = max(SHIFTS, key=lambda shift: z_scores[shift])
    p_value = _share(totals[0], swapped)
    power, shared = _power(fit, kind, swapped) if p_value > DOUBT else (None, None)
    whole = PairTest(name, len(parts), p_value, z_scores[0], best, z_scores[best], kind=_kind_of(kind))
    yield replace(whole, is_speech=kind.is_speech, lengths=kind.lengths, power=power, shared=shared)
    usual = fit.table(orders[best if z_scores[best] > z_scores[0] + APART else 0])
    for own in (np.flatnonzero(parts == part) for part in sorted(set(stretches))):
        if STRETCH <= len(own) < len(parts) and fit.varies(own):
            where = f"{name}, rows {numbers[own[0]]} to {numbers[own[-1]]}"
            yield _stretch(usual[np.ix_(own, own)], where, kind.is_speech)


def _power(fit: Fit, kind: TargetKind, swapped: np.ndarray) -> tuple[float | None, SharedTokens | None]:
    """The smallest share of the targets that a planted relation decided and that was seen in nearly every draw."""
    shared = shared_tokens_of(*kind.texts) if kind.texts else None
    for share in SHARES:
        rng = np.random.default_rng(0)
        seen = sum(_share(fit.planted(share, rng), swapped) <= DOUBT for _ in range(DRAWS))
        if seen >= DRAWS - 1:
            return share, shared
    return None, shared


def _standardized(total: float, swapped: np.ndarray) -> float:
    return (total - float(swapped.mean())) / float(swapped.std())


def _share(total: float, swapped: np.ndarray) -> float:
    """The share of permutations that fit at least as well."""
    slack = 1e-6 * float(np.abs(swapped).max(initial=0.0))
    return (1 + int((swapped >= total - slack).sum())) / (1 + len(swapped))


def _kind_of(kind: TargetKind) -> str:
    rich = kind.texts is not None and kind.targets.shape[1] > RICH
    return "tags" if kind.tags else "texts" if rich else ""


def _stretch(table: np.ndarray, where: str, is_speech: bool) -> PairTest:
    """What all rows teach, and targets that are exchanged within the stretch."""
    rows = np.arange(len(table))
    z_scores = {shift: _z_score(table[:, np.roll(rows, -shift)]) for shift in SHIFTS}
    best = max(SHIFTS, key=lambda shift: z_scores[shift])
    rng = np.random.default_rng(0)
    swapped = np.array([table[rows, rng.permutation(rows)].sum() for _ in range(PERMUTATIONS)])
    found = (_share(float(np.trace(table)), swapped), z_scores[0], best, z_scores[best])
    return PairTest(where, len(table), *found, whole=False, is_speech=is_speech)


def _order(stretches: np.ndarray, shift: int) -> np.ndarray:
    """For every row the row that is `shift` further on in its stretch."""
    order = np.arange(len(stretches))
    for part in set(stretches.tolist()):
        own = np.flatnonzero(stretches == part)
        order[own] = np.roll(own, -shift)
    return order


def _z_score(table: np.ndarray) -> float:
    """Mean and deviation over all permutations, which have a closed form; or the deviation of the rows, if larger.

    It is larger where classes differ in their spread alone, as pictures of random phase do: a model
    fits those by chance, more often than permutations show.
    """
    gain = np.diag(table) - table.mean(1)
    centred = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    spread = max(float((centred**2).sum()) / max(1, len(table) - 1), len(gain) * float(gain.var()))
    return float(gain.sum()) / spread**0.5 if spread > 0 else 0.0
