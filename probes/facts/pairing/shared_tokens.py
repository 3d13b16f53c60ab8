"""Rare tokens that both texts of a pair have: more often than texts of different rows share them?"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from probes.facts.pairing.types import SharedTokens

RARE = 0.2  # of the rows; a token in more of them is a word of the language, not of the text
CHANCE = 100.0  # tokens that pairs of different rows share: with these 1.0 is told from 1.5
DISTINCT = 0.5  # of the targets; fewer are classes in words
ORDERS = 2000


def shared_tokens_of(
    inputs: Sequence[Iterable[Hashable]], targets: Sequence[Iterable[Hashable]]
) -> SharedTokens | None:
    """The rarest tokens first, as many as needed; None where the two sides have too few in common, or are classes."""
    left, right = [frozenset(row) for row in inputs], [frozenset(row) for row in targets]
    if len(set(right)) < DISTINCT * len(right):
        return None
    rows = len(right)
    in_left, in_right = (Counter(token for row in side for token in row) for side in (left, right))
    common = sorted(
        in_left.keys() & in_right.keys(), key=lambda token: (max(in_left[token], in_right[token]), str(token))
    )
    known, chance = [], 0.0
    for token in common:
        if chance >= CHANCE or max(in_left[token], in_right[token]) > RARE * rows:
            break
        known.append(token)
        chance += in_left[token] * in_right[token] / rows
    if chance < CHANCE:
        return None
    table = _indicators(right, known) @ _indicators(left, known).T
    rng, places = np.random.default_rng(0), np.arange(rows)
    swapped = np.array([table[places, rng.permutation(rows)].sum() for _ in range(ORDERS)])
    return SharedTokens(float(np.trace(table)), float(swapped.mean()), float(swapped.std()), len(known))


def _indicators(rows: Sequence[frozenset[Hashable]], known: Sequence[Hashable]) -> np.ndarray:
    return np.array([[token in row for token in known] for row in rows], dtype=float)
