"""Texts of the evaluation set that stand in the training set, word for word or nearly."""

from collections.abc import Sequence

from probes.facts.core.numbers import evenly_spaced
from probes.facts.corpus.manifest_rows import tags_of
from probes.facts.corpus.text_columns import main_texts, normalized
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.near_duplicates import BRUTE, nearest
from probes.facts.splits.types import DuplicatePair, NearDuplicates, SharedTexts

LETTERS = 20  # shorter texts ("thank you very much") repeat by themselves
READ = 1000  # texts of each side that are compared with all training texts, at most
LETTERS_COMPARED = 5 * 10**7  # on each side: about a second
SHOWN = 50  # pairs that are kept
GROUPS = ("video_id", "video", "recording_id", "session_id", "document_id")
Texts = dict[str, int]


def find_shared(train: Sequence[CorpusRow], other: Sequence[CorpusRow]) -> SharedTexts:
    known = _texts(train)
    long = [(n, text) for n, text in enumerate(normalized(main_texts(other))) if len(text) >= LETTERS]
    pairs = tuple(DuplicatePair(other[n], train[known[text]], "text") for n, text in long if text in known)
    return SharedTexts(pairs, len(long))


def find_near(train: Sequence[CorpusRow], other: Sequence[CorpusRow], floor: float) -> NearDuplicates:
    """Each text once; what is the same word for word is not near, it is the same."""
    ours = _texts(train)
    theirs = {text: row for text, row in _texts(other).items() if text not in ours}
    eval_queries, train_queries = _some(theirs, ours), _some(ours, ours)
    groups = _groups(train)
    query_groups = [*_of(_groups(other), eval_queries), *_of(groups, train_queries)]
    known = list(ours)
    queries = [text for text, _ in (*eval_queries, *train_queries)]
    best = nearest(queries, known, floor, query_groups, [groups[number] for number in ours.values()])
    pairs = [
        [(rows[row], train[ours[known[at]]], score) for (_, row), (at, score) in zip(some, found, strict=True) if score]
        for rows, some, found in (
            (other, eval_queries, best[: len(eval_queries)]),
            (train, train_queries, best[len(eval_queries) :]),
        )
    ]
    across, within = pairs
    shown = (tuple(sorted(near, key=lambda pair: -pair[2])[:SHOWN]) for near in pairs)
    return NearDuplicates(floor, len(across), len(eval_queries), len(within), len(train_queries), *shown)


def _some(queries: Texts, known: Texts) -> list[tuple[str, int]]:
    """As many as can be compared with all known ones in about a second."""
    length = sum(map(len, known)) // max(1, len(known)) + 1
    affordable = LETTERS_COMPARED // (max(1, min(BRUTE, len(known))) * length)
    pairs = list(queries.items())
    return [pairs[number] for number in evenly_spaced(range(len(pairs)), max(100, min(READ, affordable)))]


def _of(groups: Sequence[str], queries: Sequence[tuple[str, int]]) -> list[str]:
    return [groups[number] for _, number in queries]


def _texts(rows: Sequence[CorpusRow]) -> Texts:
    """Every text that is long enough, with the number of the first row that has it."""
    found: Texts = {}
    for number, text in enumerate(normalized(main_texts(rows))):
        if len(text) >= LETTERS:
            found.setdefault(text, number)
    return found


def _groups(rows: Sequence[CorpusRow]) -> list[str]:
    """The video of each row, whose rows are alike anyway; without one, the row itself."""
    if not len(rows):
        return []
    split, columns = rows[0].split, [tags_of(rows, name) for name in GROUPS]
    named = [next(filter(None, values), "") for values in zip(*columns, strict=True)]
    return [f"{split} {name}" if name else f"{split} row {number}" for number, name in enumerate(named)]
