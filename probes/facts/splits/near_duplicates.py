"""Texts that are nearly the same: all against all while they are few, by shared rare trigrams when they are many."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

BRUTE = 10_000  # rows up to which comparing all with all is the cheaper way
AT_ONCE = 256
LONG = 400  # letters of a text whose trigrams are looked up
GRAMS, POSTINGS = 8, 200  # of a text, its rarest trigrams; of a trigram, so many texts at most


def nearest(
    queries: Sequence[str], texts: Sequence[str], floor: float, query_groups: Sequence[str], groups: Sequence[str]
) -> list[tuple[int, float]]:
    """For each query the nearest text of another group, with its likeness (0 to 1); (-1, 0) where none is near."""
    if not queries or not texts:
        return [(-1, 0.0)] * len(queries)
    search = _all_with_all if len(texts) <= BRUTE else _by_trigrams
    return search(queries, texts, floor, np.asarray(query_groups), np.asarray(groups))


def _all_with_all(
    queries: Sequence[str], texts: Sequence[str], floor: float, query_groups: np.ndarray, groups: np.ndarray
) -> list[tuple[int, float]]:
    found: list[tuple[int, float]] = []
    for start in range(0, len(queries), AT_ONCE):
        block = queries[start : start + AT_ONCE]
        scores = process.cdist(block, texts, scorer=fuzz.ratio, score_cutoff=100 * floor, dtype=np.float32)
        scores[query_groups[start : start + AT_ONCE, None] == groups[None, :]] = 0
        best = scores.argmax(axis=1)
        pairs = zip(best, scores, strict=True)
        found += [(int(at), float(row[at]) / 100) if row[at] else (-1, 0.0) for at, row in pairs]
    return found


def _by_trigrams(
    queries: Sequence[str], texts: Sequence[str], floor: float, query_groups: np.ndarray, groups: np.ndarray
) -> list[tuple[int, float]]:
    """Only texts that share two of a query's rarest trigrams are compared with it."""
    import polars as pl

    query_grams = _postings(queries)
    postings = _postings(texts, query_grams.select("gram").unique())
    rare = query_grams.join(postings.group_by("gram").len(), on="gram").sort("len")
    rare = rare.group_by("row", maintain_order=True).head(GRAMS).select("row", "gram")
    known = postings.join(rare.select("gram").unique(), on="gram", how="semi").sort("row")
    known = known.group_by("gram", maintain_order=True).head(POSTINGS).rename({"row": "text"})
    shared = rare.join(known, on="gram").group_by("row", "text").len().filter(pl.col("len") >= 2)
    best = [(-1, 0.0)] * len(queries)
    for row, text in shared.select("row", "text").iter_rows():
        if query_groups[row] != groups[text]:
            score = fuzz.ratio(queries[row], texts[text], score_cutoff=100 * floor) / 100
            best[row] = (text, score) if score > best[row][1] else best[row]
    return best


def _postings(texts: Sequence[str], query_grams: Any = None) -> Any:
    """A table with one line for each trigram of each text, or only for those in `query_grams`."""
    import polars as pl

    table = pl.LazyFrame({"row": range(len(texts)), "text": [text[:LONG] for text in texts]})
    pieces = []
    for at in range(max(min(LONG, len(text)) for text in texts) - 2):
        grams = table.select("row", gram=pl.col("text").str.slice(at, 3)).filter(pl.col("gram").str.len_chars() == 3)
        pieces.append(grams if query_grams is None else grams.join(query_grams.lazy(), on="gram", how="semi"))
    return pl.concat(pieces).unique().collect()
