"""Ridge regression predicts the targets of held-out rows: do the own targets fit better than swapped ones?"""

from collections.abc import Iterator, Sequence

import numpy as np

from probes.facts.pairing.read_pairs import TargetKind
from probes.facts.pairing.types import PairTest

PERMUTATIONS = 10_000  # the least that can show a chance of 1e-4
FOLDS = 5
RIDGE = 0.3  # of the rows: with 0.1 or 1.0 the demo's sigmas change by a tenth
STRETCH = 25  # rows; a shorter one is not looked at on its own
VARY = 0.5  # of the variance over all rows; less, and nothing can be told within a stretch
SHIFTS = (0, 1, -1, 2, -2, 3, -3)  # nought first: it wins a tie
APART = 5.0  # sigmas between two fits of deviation 1 each: one-sided 2e-4; rows that recur in turn fit at every shift


def run_pair_tests(kind: TargetKind, stretches: Sequence[int], numbers: Sequence[int], name: str) -> Iterator[PairTest]:
    """All rows, then every stretch of them, with predictions at the shift that clearly fits best over all."""
    inputs, targets, parts = kind.inputs, kind.targets, np.asarray(stretches)
    tables = {shift: _table(inputs, _shifted(targets, parts, shift)) for shift in SHIFTS}
    everywhere = {shift: _z_score(table) for shift, table in tables.items()}
    best = max(SHIFTS, key=lambda shift: everywhere[shift])
    found = (_p_value(tables[0]), everywhere[0], best, everywhere[best])
    yield PairTest(name, len(inputs), *found, is_speech=kind.is_speech, lengths=kind.lengths)
    usual = best if everywhere[best] > everywhere[0] + APART else 0
    predictions = _ridge_predictions(inputs, _shifted(targets, parts, usual))
    for own in (np.flatnonzero(parts == part) for part in sorted(set(stretches))):
        if STRETCH <= len(own) < len(parts) and _vary(targets, own):
            yield _stretch(predictions, kind, own, numbers, name)


def _stretch(predictions: np.ndarray, kind: TargetKind, own: np.ndarray, numbers: Sequence[int], name: str) -> PairTest:
    standard = _standard(kind.targets)
    tables = {shift: predictions[own] @ np.roll(standard[own], -shift, axis=0).T for shift in SHIFTS}
    folds = np.zeros(len(own), dtype=int)
    z_scores = {shift: _z_score((table, folds)) for shift, table in tables.items()}
    best = max(SHIFTS, key=lambda shift: z_scores[shift])
    where = f"{name}, rows {numbers[own[0]]} to {numbers[own[-1]]}"
    found = (_p_value((tables[0], folds)), z_scores[0], best, z_scores[best])
    return PairTest(where, len(own), *found, whole=False, is_speech=kind.is_speech)


def _vary(targets: np.ndarray, own: np.ndarray) -> bool:
    """Whether targets differ within a stretch as they do over all, unlike data that are sorted by class."""
    return bool(_standard(targets)[own].var(0).sum() > VARY * _standard(targets).var(0).sum())


def _shifted(targets: np.ndarray, stretches: np.ndarray, shift: int) -> np.ndarray:
    """Every row gets the target of the row that is `shift` further on in its stretch."""
    moved = targets.copy()
    for part in set(stretches.tolist()):
        own = np.flatnonzero(stretches == part)
        moved[own] = np.roll(targets[own], -shift, axis=0)
    return moved


def _standard(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean(0)) / (values.std(0) + 1e-9))


def _folds(rows: int) -> np.ndarray:
    """Drawn at random: data sets that are sorted by class have classes that no other fold would know."""
    return np.random.default_rng(0).permutation(np.arange(rows) * FOLDS // rows)


def _ridge_predictions(inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Ridge regression, each fold predicted from the others."""
    x, y = _standard(inputs), _standard(targets)
    folds, found = _folds(len(x)), np.zeros_like(y)
    for fold in range(FOLDS):
        seen = folds != fold
        squares = x[seen].T @ x[seen] + RIDGE * seen.sum() * np.eye(x.shape[1])
        found[~seen] = x[~seen] @ np.linalg.solve(squares, x[seen].T @ y[seen])
    return found


def _table(inputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[row, other row]: how well the prediction for the one fits the target of the other; and the folds."""
    return _ridge_predictions(inputs, targets) @ _standard(targets).T, _folds(len(inputs))


def _squares(table: np.ndarray, folds: np.ndarray) -> Iterator[np.ndarray]:
    """Rows are exchanged within their fold only: none of its targets was used for its predictions."""
    for fold in np.unique(folds):
        own = np.flatnonzero(folds == fold)
        yield table[np.ix_(own, own)]


def _z_score(table: tuple[np.ndarray, np.ndarray]) -> float:
    """Mean and deviation over all permutations, which have a closed form; or the deviation of the rows, if larger.

    It is larger where classes differ in their spread alone, as pictures of random phase do: a linear teacher fits
    those by chance, more often than permutations show.
    """
    spread, gains = 0.0, [np.zeros(0)]
    for square in _squares(*table):
        gains.append(np.diag(square) - square.mean(1))
        centred = square - square.mean(0) - square.mean(1, keepdims=True) + square.mean()
        spread += float((centred**2).sum()) / max(1, len(square) - 1)
    gain = np.concatenate(gains)
    spread = max(spread, len(gain) * float(gain.var()))
    return float(gain.sum()) / spread**0.5 if spread > 0 else 0.0


def _p_value(table: tuple[np.ndarray, np.ndarray]) -> float:
    """The share of random permutations that fit at least as well as the true pairs."""
    rng, swapped = np.random.default_rng(0), np.zeros(PERMUTATIONS)
    for square in _squares(*table):
        places = np.arange(len(square))
        for start in range(0, PERMUTATIONS, 1000):
            orders = rng.permuted(np.tile(places, (1000, 1)), axis=1)
            swapped[start : start + 1000] += square[places, orders].sum(1)
    own = float(np.trace(table[0]))
    slack = 1e-9 * float(np.abs(table[0]).sum())
    return (1 + int((swapped >= own - slack).sum())) / (1 + PERMUTATIONS)
