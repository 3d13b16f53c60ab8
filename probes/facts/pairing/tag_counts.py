"""Tags of tokens: how often each token of other rows has each tag, and which row's tags a row's tokens fit."""

from collections.abc import Iterator, Sequence

import numpy as np

from probes.facts.pairing.kernel_ridge import FOLDS, folds_of

TAGS, TOKENS = 64, 512  # more tags are texts; the most frequent tokens are counted, the others are one
PLACES = 128  # of a row
SMOOTH = 1.0  # added to each count, spread by how frequent the tag is
NONE = -1


def are_tags(inputs: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> bool:
    """Whole numbers of a few kinds, one for each token of their row."""
    whole = all(one.dtype.kind in "iu" and one.ndim == 1 for one in (*inputs, *targets))
    if not whole or any(len(x) != len(y) for x, y in zip(inputs, targets, strict=True)):
        return False
    kinds = {int(tag) for row in targets for tag in row if tag >= 0}
    return max(map(len, inputs)) > 1 and 1 < len(kinds) <= TAGS


class TagFit:
    """The logarithm of how much more frequent a tag is with a token than over all, a mean over the tagged tokens."""

    def __init__(self, inputs: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
        self.tokens, self.kinds = _numbered(_table(inputs, targets), TOKENS)
        self.tags, self.tag_kinds = _numbered(_tagged(inputs, targets), TAGS)

    def total(self, order: np.ndarray) -> float:
        """How well the tags of held-out rows fit their tokens, with tags in this order."""
        return self._total(self.tags[order])

    def table(self, order: np.ndarray) -> np.ndarray:
        """[row, other row]: how well the tags fit, where rows were learned with the tags in this order."""
        found = np.zeros((len(order), len(order)))
        for own, gains in self._learned(self.tags[order]):
            found[own] = _fits(gains, self.tokens[own], self.tags)
        return found

    def varies(self, own: np.ndarray) -> bool:
        return True

    def planted(self, share: float, rng: np.random.Generator) -> float:
        """The total for tags that are dealt out anew, where the token decides in this share of the places."""
        drawn = rng.choice(self.tags[self.tags >= 0], self.kinds)[np.maximum(self.tokens, 0)]
        dealt = self.tags[rng.permutation(len(self.tags))]
        return self._total(np.where((rng.random(dealt.shape) < share) & (dealt >= 0), drawn, dealt))

    def _total(self, tags: np.ndarray) -> float:
        scored = np.maximum(((self.tokens >= 0) & (tags >= 0)).sum(1), 1)
        return sum(
            float((gains[self.tokens[own], tags[own]].sum(1) / scored[own]).sum()) for own, gains in self._learned(tags)
        )

    def _learned(self, tags: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of each fold, and what the others teach."""
        folds = folds_of(len(tags))
        for fold in range(FOLDS):
            yield folds == fold, self._gains(self.tokens[folds != fold], tags[folds != fold])

    def _gains(self, tokens: np.ndarray, tags: np.ndarray) -> np.ndarray:
        scored = (tokens >= 0) & (tags >= 0)
        cells = tokens[scored] * self.tag_kinds + tags[scored]
        counts = np.bincount(cells, minlength=self.kinds * self.tag_kinds).reshape(self.kinds, self.tag_kinds)
        usual = (counts.sum(0) + 1.0) / (counts.sum() + self.tag_kinds)
        shares = (counts + SMOOTH * usual) / (counts.sum(1, keepdims=True) + SMOOTH)
        return np.pad(np.log(shares / usual), ((0, 1), (0, 1))).astype(np.float32)


def _fits(gains: np.ndarray, tokens: np.ndarray, tags: np.ndarray) -> np.ndarray:
    """Over the places that both rows have; the last row and column of gains are of no token and of no tag: nought."""
    total = np.zeros((len(tokens), len(tags)), dtype=np.float32)
    for place in range(tokens.shape[1]):
        total += gains[tokens[:, place]][:, tags[:, place]]
    places = (tokens >= 0).astype(np.float32) @ (tags >= 0).astype(np.float32).T
    return np.asarray(total / np.maximum(places, 1))


def _tagged(inputs: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> np.ndarray:
    return _table(targets, targets)


def _table(values: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> np.ndarray:
    """[row, place]: the tagged places of each row, moved together."""
    found = np.full((len(values), PLACES), NONE)
    for row, (value, target) in enumerate(zip(values, targets, strict=True)):
        kept = value[target >= 0][:PLACES]
        found[row, : len(kept)] = kept
    return found[:, : max(1, int((found >= 0).sum(1).max()))]


def _numbered(table: np.ndarray, most: int) -> tuple[np.ndarray, int]:
    """The values by how frequent they are; all beyond `most` are one kind."""
    kinds, counts = np.unique(table[table >= 0], return_counts=True)
    known = kinds[np.argsort(-counts, kind="stable")][:most]
    numbers = np.full(table.shape, NONE)
    numbers[table >= 0] = len(known)
    for number, kind in enumerate(known):
        numbers[table == kind] = number
    return numbers, len(known) + 1
