"""Permutation tests: do long clips have long texts, and does a summary use the words of its own document?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from probes.facts.corpus.types import CorpusRow
from probes.facts.pairing.shared_tokens import shared_tokens_of
from probes.facts.pairing.types import ManifestPairTest

SHUFFLES = 10_000  # the least that can show a chance of 1e-4
STRETCH = 250  # rows
SHIFTS = tuple(shift for distance in range(1, 6) for shift in (distance, -distance))
SURE = 4.5  # sigmas that a shift must have to be named


def fit(
    left: str, right: str, rows: Sequence[CorpusRow], x: Sequence[float], y: Sequence[float]
) -> Iterator[ManifestPairTest]:
    """All rows, then each stretch. Rows are in the manifest's order: a text that slipped by a row is found so."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    every = max(1, len(rows) // (2 * STRETCH))
    yield _fit(left, right, rows[::every], a[::every], b[::every], SHIFTS if every == 1 else ())
    starts = range(0, len(rows) - STRETCH + 1, STRETCH) if len(rows) >= 2 * STRETCH else ()
    parts = [(rows[at : at + STRETCH], a[at : at + STRETCH], b[at : at + STRETCH]) for at in starts]
    found = [_fit(left, right, *part) for part in parts]
    for number, one in enumerate(found):
        rest = [other.correlation for at, other in enumerate(found) if at != number]
        yield replace(one, others=float(np.median(rest)))


def _fit(
    left: str, right: str, rows: Sequence[CorpusRow], x: np.ndarray, y: np.ndarray, shifts: Sequence[int] = SHIFTS
) -> ManifestPairTest:
    a, b = ranks(x), ranks(y)
    own = correlation(a, b)
    shuffled = _shuffled(a, b)
    rng = (1 + int((shuffled >= own).sum())) / (1 + SHUFFLES)
    moved = [(shift, correlation(*_shifted(a, b, shift))) for shift in shifts]
    shift, best = max(moved, key=lambda pair: pair[1], default=(0, 0.0))
    helps = np.arctanh(min(best, 0.999)) * np.sqrt(len(rows) - 3) > SURE and best > own
    return ManifestPairTest(
        left, right, "length", rows[0], rows[-1], len(rows), own, rng, None, shift if helps else 0, best
    )


def _shifted(a: np.ndarray, b: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    return (a[:-shift], b[shift:]) if shift > 0 else (a[-shift:], b[:shift])


def ranks(values: np.ndarray) -> np.ndarray:
    """Equal values share the middle of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else 0.0


def _shuffled(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The correlation of many shuffles."""
    rng = np.random.default_rng(0)
    centred, other = a - a.mean(), b - b.mean()
    size = float(np.sqrt((centred @ centred) * (other @ other))) or 1.0
    blocks = (rng.permuted(np.tile(other, (500, 1)), axis=1) @ centred for _ in range(SHUFFLES // 500))
    return np.concatenate(list(blocks)) / size


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w{2,}", text.casefold()))


def overlap(targets: Sequence[str], sources: Sequence[str]) -> np.ndarray:
    """[target, source]: the share of a target's words that stand in the source."""
    left, right = [words_of(text) for text in targets], [words_of(text) for text in sources]
    table = [[len(a & b) / max(1, len(a)) for b in right] for a in left]
    return np.asarray(table)


def overlap_fit(
    left: str, right: str, rows: Sequence[CorpusRow], targets: Sequence[str], sources: Sequence[str]
) -> ManifestPairTest:
    """As `fit`, by the words that they share; `targets` are the texts on the right."""
    table = overlap(targets, sources)
    rng, places = np.random.default_rng(0), np.arange(len(rows))
    own, usual = float(np.diag(table).mean()), float(table.mean())
    shuffled = np.array([table[places, rng.permutation(len(rows))].mean() for _ in range(SHUFFLES)])
    shift, best = max(((s, float(np.diagonal(table, s).mean())) for s in SHIFTS), key=lambda pair: pair[1])
    helps = best > own and best - usual > SURE * float(shuffled.std())
    p = (1 + int((shuffled >= own).sum())) / (1 + SHUFFLES)
    shift = shift if helps else 0
    shared = shared_tokens_of([words_of(text) for text in sources], [words_of(text) for text in targets])
    found = (len(rows), own - usual, p, None, shift, best - usual)
    return ManifestPairTest(left, right, "words", rows[0], rows[-1], *found, shared=shared)
