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
    counts = Counter(letter for text in texts for letter in unicodedata.normalize("NFC", text) if letter.isalpha())
    strange: dict[str, dict[str, int]] = {}
    for letter, count in counts.most_common(LETTERS):
        if unknown in ids(letter) and all(unknown in ids(other) for other in {letter.lower(), letter.upper()}):
            strange.setdefault(script(letter), {})[letter] = count
    plain, low, high = (_share(texts, ids, unknown, change) for change in (str, str.lower, str.upper))
    return UnknownTokenShares(len(texts), plain, low, high, sum(counts.values()), strange)


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
