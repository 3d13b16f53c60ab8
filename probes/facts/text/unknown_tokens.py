"""Counts unknown tokens of texts as written and in another case, and finds the unknown letters."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from probes.facts.core.tokens import text_ids
from probes.facts.labels.types import LabelRow
from probes.facts.text.text_checks import script
from probes.facts.text.types import UnknownTokenShares

LETTERS = 500  # of the most frequent ones, each asked for alone


def read(texts: Sequence[str], tokenizer: Any) -> UnknownTokenShares:
    ids, unknown = partial(text_ids, tokenizer), tokenizer.unk_token_id
    words = Counter(word for text in texts for word in unicodedata.normalize("NFC", text).split())
    lost = Counter({word: count for word, count in words.items() if unknown in ids(word)})
    counts, candidates = _letters(words), _letters(lost)
    strange: dict[str, dict[str, int]] = {}
    for letter, count in candidates.most_common(LETTERS):
        if unknown in ids(letter) and all(unknown in ids(other) for other in {letter.lower(), letter.upper()}):
            strange.setdefault(script(letter), {})[letter] = count
    plain, low, high = (_share(texts, ids, unknown, change) for change in (str, str.lower, str.upper))
    return UnknownTokenShares(len(texts), plain, low, high, sum(counts.values()), strange)


def _letters(words: Counter[str]) -> Counter[str]:
    """A vocabulary of whole words need not have their letters: only letters of lost words are asked for."""
    letters: Counter[str] = Counter()
    for word, count in words.items():
        for letter in filter(str.isalpha, word):
            letters[letter] += count
    return letters


def read_labels(rows: Sequence[LabelRow], tokenizer: Any) -> UnknownTokenShares | None:
    """Of labels, whose texts nobody knows; None where the tokenizer has no unknown token of its own."""
    unknown = tokenizer.unk_token_id
    tokens = [token for row in rows for token in row.ids[: row.length - row.padding] if token >= 0]
    if not tokens or unknown in [getattr(tokenizer, f"{role}_token_id", None) for role in ("bos", "eos", "pad")]:
        return None
    share = tokens.count(unknown) / len(tokens)
    return UnknownTokenShares(len(rows), share, share, share, where="labels of the drawn batches")


def _share(
    texts: Sequence[str], ids: Callable[[str], Sequence[int]], unknown: int, change: Callable[[str], str]
) -> float:
    tokens = [token for text in texts for token in ids(change(text))]
    return tokens.count(unknown) / len(tokens) if tokens else 0.0
