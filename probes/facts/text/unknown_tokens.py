"""Counts unknown tokens of texts as written and in another case, and finds the unknown letters."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from probes.facts.core.tokens import text_ids
from probes.facts.text.text_checks import script
from probes.facts.text.types import UnknownTokenShares

LETTERS = 500  # of the most frequent ones, each asked for alone


def read(texts: Sequence[str], tokenizer: Any) -> UnknownTokenShares:
    ids, unknown = partial(text_ids, tokenizer), tokenizer.unk_token_id
    counts = Counter(letter for text in texts for letter in unicodedata.normalize("NFC", text) if letter.isalpha())
    strange: dict[str, dict[str, int]] = {}
    for letter, count in counts.most_common(LETTERS):
        if unknown in ids(letter) and all(unknown in ids(other) for other in {letter.lower(), letter.upper()}):
            strange.setdefault(script(letter), {})[letter] = count
    plain, low, high = (_share(texts, ids, unknown, change) for change in (str, str.lower, str.upper))
    return UnknownTokenShares(len(texts), plain, low, high, sum(counts.values()), strange)


def _share(
    texts: Sequence[str], ids: Callable[[str], Sequence[int]], unknown: int, change: Callable[[str], str]
) -> float:
    tokens = [token for text in texts for token in ids(change(text))]
    return tokens.count(unknown) / len(tokens) if tokens else 0.0
