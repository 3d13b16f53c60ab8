"""Texts that are nearly the same: all against all while they are few, by shared rare pieces when they are many."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import fuzz, process

from probes.facts.core.fork import run_polars

if TYPE_CHECKING:
    import polars as pl

BRUTE = 10_000  # rows up to which comparing all with all is the cheaper way
AT_ONCE = 256
LONG = 400  # letters of a text whose pieces are looked up
PIECE = 5  # letters: of a text with one letter in ten changed, half of its pieces are still there
PIECES, POSTINGS = 8, 40  # of a text, its rarest pieces; of a piece, so many texts at most
TEXTS_AT_ONCE, PARTS = 20_000, 16  # a power of two
SHARED = 2  # pieces that a near text shares at least
COMPARED = 16  # texts that share most with one
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # of a rolling hash: odd, its bits are mixed


def nearest(
    queries: Sequence[str], texts: Sequence[str], floor: float, query_groups: Sequence[str], groups: Sequence[str]
) -> list[tuple[int, float]]:
    """For each query the nearest text of another group, with its likeness (0 to 1); (-1, 0) where none is near."""
    if not queries or not texts:
        return [(-1, 0.0)] * len(queries)
    if len(texts) <= BRUTE:
        return _all_with_all(queries, texts, floor, np.asarray(query_groups), np.asarray(groups))
    best = [(-1, 0.0)] * len(queries)
    for query, text, score in run_polars(lambda: near_pairs(queries, texts, floor).rows()):
        if query_groups[query] != groups[text] and score > best[query][1]:
            best[query] = (text, score)
    return best


def near_pairs(queries: Sequence[str], texts: Sequence[str], floor: float) -> "pl.DataFrame":
    """Numbers of a query and of a text that is near it, with their likeness, the nearest first. Costs about linearly.

    Where both are the same list, no text is paired with itself, and each pair comes once.
    """
    import polars as pl

    if queries is texts:
        own = known = _rare_pieces(texts)
    else:
        own = _table(*_hashes(queries))
        known = _pieces_in(texts, own["piece"].unique().to_numpy())
    shared = own.lazy().join(known.lazy().rename({"row": "text"}), on="piece")
    if queries is texts:
        shared = shared.filter(pl.col("row") < pl.col("text"))
    counts = shared.group_by("row", "text").len().filter(pl.col("len") >= SHARED)
    pairs = counts.sort(["row", "len", "text"], descending=[False, True, False])
    pairs = pairs.group_by("row", maintain_order=True).head(COMPARED).select("row", "text")
    return _scored(pairs.collect(), queries, texts, floor)


def _scored(pairs: "pl.DataFrame", queries: Sequence[str], texts: Sequence[str], floor: float) -> "pl.DataFrame":
    import polars as pl

    left, right = [queries[n] for n in pairs["row"]], [texts[n] for n in pairs["text"]]
    scores = process.cpdist(left, right, scorer=fuzz.ratio, score_cutoff=100 * floor, dtype=np.float32)
    scored = pairs.with_columns(score=pl.Series(scores.astype(np.float64) / 100))
    return scored.filter(pl.col("score") > 0).sort(["score", "row", "text"], descending=[True, False, False])


def _hashes(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Each piece of each text as a hash, with the number of its text."""
    joined = "".join(text[:LONG] for text in texts)
    lengths = np.fromiter((min(len(text), LONG) for text in texts), np.int64, len(texts))
    letters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    count = max(0, len(letters) - PIECE + 1)
    hashes = np.zeros(count, np.uint64)
    for place in range(PIECE):
        hashes += letters[place : place + count]
        hashes *= FACTOR
    hashes ^= hashes >> np.uint64(31)
    row = np.repeat(np.arange(len(texts), dtype=np.uint32), lengths)
    inside = row[:count] == row[PIECE - 1 :]  # a piece does not reach into the next text
    inside &= hashes & np.uint64(1) == 0  # every second piece is enough
    return row[:count][inside], hashes[inside]


def _table(rows: np.ndarray, hashes: np.ndarray) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame({"row": rows, "piece": hashes}).unique()


def _pieces_in(texts: Sequence[str], wanted: np.ndarray) -> "pl.DataFrame":
    """Those pieces of the texts that are wanted, and not in too many of them."""
    import polars as pl

    wanted = np.sort(wanted)
    found = []
    for row, hashes in _chunks(texts):
        place = np.minimum(np.searchsorted(wanted, hashes), max(0, len(wanted) - 1))
        mine = wanted[place] == hashes if len(wanted) else np.zeros(len(hashes), bool)
        found.append(_table(row[mine], hashes[mine]))
    return pl.concat(found).filter(pl.len().over("piece") <= POSTINGS)


def _rare_pieces(texts: Sequence[str]) -> "pl.DataFrame":
    """The rarest pieces of each text, of those that another text has, and not too many.

    They are counted in parts, by their hash, so that the tables of each part stay small.
    """
    import polars as pl

    parts: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in range(PARTS)]
    for row, hashes in _chunks(texts):
        order = np.argsort(kind := (hashes >> np.uint64(64 - PARTS.bit_length() + 1)).astype(np.uint8), kind="stable")
        ends = np.searchsorted(kind[order], np.arange(PARTS + 1))
        for part in range(PARTS):
            mine = order[ends[part] : ends[part + 1]]
            parts[part].append((row[mine], hashes[mine]))
    kept = []
    while parts:
        table = _table(*(np.concatenate(arrays) for arrays in zip(*parts.pop(), strict=True)))
        counts = table.group_by("piece").len().filter(pl.col("len").is_between(2, POSTINGS))
        kept.append(table.join(counts, on="piece"))
    every = pl.concat(kept)
    place = np.lexsort((every["piece"].to_numpy(), every["len"].to_numpy(), every["row"].to_numpy()))
    row = every["row"].to_numpy()[place]
    first = np.arange(len(row)) - np.searchsorted(row, row) < PIECES
    return every[place[first]].select("row", "piece")


def _chunks(texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        row, hashes = _hashes(texts[start : start + TEXTS_AT_ONCE])
        yield row + np.uint32(start), hashes


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
