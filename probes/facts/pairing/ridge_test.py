"""A linear teacher foretells the targets of held-out rows from their inputs: do own targets fit better than swapped?"""

from collections.abc import Iterator, Sequence

import numpy as np

from probes.facts.pairing.read_pairs import TargetKind
from probes.facts.pairing.types import PairTest

PERMUTATIONS = 10_000  # the least that can show a chance of 1e-4
FOLDS = 5
RIDGE = 0.3  # of the rows: with 0.1 or 1.0 the demo's sigmas change by a tenth
STRETCH = 25  # rows; a shorter one is not looked at on its own
SHIFTS = (0, 1, -1, 2, -2, 3, -3)  # nought first: it wins a tie


def run_pair_tests(kind: TargetKind, stretches: Sequence[int], numbers: Sequence[int], name: str) -> Iterator[PairTest]:
    """All rows, then every stretch of them; the teacher has learnt at the shift that fits best over all."""
    inputs, targets, parts = kind.inputs, kind.targets, np.asarray(stretches)
    tables = {shift: _table(inputs, _moved(targets, parts, shift)) for shift in SHIFTS}
    everywhere = {shift: _sigmas(table) for shift, table in tables.items()}
    best = max(SHIFTS, key=lambda shift: everywhere[shift])
    found = (_chance(tables[0]), everywhere[0], best, everywhere[best])
    yield PairTest(name, len(inputs), *found, is_speech=kind.spoken, lengths=kind.lengths)
    learnt = _foretold(inputs, _moved(targets, parts, best))
    for own in (np.flatnonzero(parts == part) for part in sorted(set(stretches))):
        if STRETCH <= len(own) < len(parts):
            yield _stretch(learnt, kind, own, numbers, name)


def _stretch(learnt: np.ndarray, kind: TargetKind, own: np.ndarray, numbers: Sequence[int], name: str) -> PairTest:
    standard = _standard(kind.targets)
    tables = {shift: learnt[own] @ np.roll(standard[own], -shift, axis=0).T for shift in SHIFTS}
    folds = np.zeros(len(own), dtype=int)
    sigmas = {shift: _sigmas((table, folds)) for shift, table in tables.items()}
    best = max(SHIFTS, key=lambda shift: sigmas[shift])
    where = f"{name}, rows {numbers[own[0]]} to {numbers[own[-1]]}"
    found = (_chance((tables[0], folds)), sigmas[0], best, sigmas[best])
    return PairTest(where, len(own), *found, whole=False, is_speech=kind.spoken)


def _moved(targets: np.ndarray, stretches: np.ndarray, shift: int) -> np.ndarray:
    """Every row gets the target of the row that is `shift` further on in its stretch."""
    moved = targets.copy()
    for part in set(stretches.tolist()):
        own = np.flatnonzero(stretches == part)
        moved[own] = np.roll(targets[own], -shift, axis=0)
    return moved


def _standard(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean(0)) / (values.std(0) + 1e-9))


def _folds(rows: int) -> np.ndarray:
    return np.arange(rows) * FOLDS // rows


def _foretold(inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Ridge regression, each fold by a teacher that has not seen it."""
    x, y = _standard(inputs), _standard(targets)
    folds, found = _folds(len(x)), np.zeros_like(y)
    for fold in range(FOLDS):
        seen = folds != fold
        squares = x[seen].T @ x[seen] + RIDGE * seen.sum() * np.eye(x.shape[1])
        found[~seen] = x[~seen] @ np.linalg.solve(squares, x[seen].T @ y[seen])
    return found


def _table(inputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[row, other row]: how well what was foretold for the one fits the target of the other; and the folds."""
    return _foretold(inputs, targets) @ _standard(targets).T, _folds(len(inputs))


def _squares(table: np.ndarray, folds: np.ndarray) -> Iterator[np.ndarray]:
    """Rows of one fold are exchanged among themselves only: all targets in it are equally new to the teacher."""
    for fold in np.unique(folds):
        own = np.flatnonzero(folds == fold)
        yield table[np.ix_(own, own)]


def _sigmas(table: tuple[np.ndarray, np.ndarray]) -> float:
    """Mean and deviation over all permutations, which have a closed form."""
    gain = spread = 0.0
    for square in _squares(*table):
        rows = len(square)
        gain += float(np.trace(square) - square.sum() / rows)
        centred = square - square.mean(0) - square.mean(1, keepdims=True) + square.mean()
        spread += float((centred**2).sum()) / max(1, rows - 1)
    return gain / spread**0.5 if spread > 0 else 0.0


def _chance(table: tuple[np.ndarray, np.ndarray]) -> float:
    """The share of random permutations that fit as well as the pairs as they are."""
    chance, swapped = np.random.default_rng(0), np.zeros(PERMUTATIONS)
    for square in _squares(*table):
        places = np.arange(len(square))
        for start in range(0, PERMUTATIONS, 1000):
            orders = chance.permuted(np.tile(places, (1000, 1)), axis=1)
            swapped[start : start + 1000] += square[places, orders].sum(1)
    own = float(np.trace(table[0]))
    slack = 1e-9 * float(np.abs(table[0]).sum())
    return (1 + int((swapped >= own - slack).sum())) / (1 + PERMUTATIONS)
