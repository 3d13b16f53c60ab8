"""Texts of the evaluation set that stand in the training set, word for word or nearly."""

from collections.abc import Sequence

from probes.facts.core.numbers import evenly_spaced
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.duplicate_inputs import main_text, normalize_text
from probes.facts.splits.near_duplicates import BRUTE, nearest
from probes.facts.splits.types import DuplicatePair, NearDuplicates, SharedTexts

LETTERS = 20  # shorter texts ("thank you very much") repeat by themselves
READ = 1000  # texts of each side that are compared with all training texts, at most
LETTERS_COMPARED = 5 * 10**7  # on each side: about a second
SHOWN = 50  # pairs that are kept
GROUPS = ("video_id", "video", "recording_id", "session_id", "document_id")
Texts = dict[str, CorpusRow]
Near = tuple[CorpusRow, CorpusRow, float]


def find_shared(train: Sequence[CorpusRow], other: Sequence[CorpusRow]) -> SharedTexts:
    known = _texts(train)
    long = [(text, row) for row in other if len(text := normalize_text(main_text(row))) >= LETTERS]
    return SharedTexts(tuple(DuplicatePair(row, known[text], "text") for text, row in long if text in known), len(long))


def find_near(train: Sequence[CorpusRow], other: Sequence[CorpusRow], floor: float) -> NearDuplicates:
    """Each text once; what is the same word for word is not near, it is the same."""
    ours = _texts(train)
    theirs = {text: row for text, row in _texts(other).items() if text not in ours}
    eval_queries, train_queries = _some(theirs, ours), _some(ours, ours)
    found = _nearest([*eval_queries, *train_queries], ours, floor)
    across = [pair for pair in found[: len(eval_queries)] if pair[2]]
    within = [pair for pair in found[len(eval_queries) :] if pair[2]]
    shown = (tuple(sorted(pairs, key=lambda pair: -pair[2])[:SHOWN]) for pairs in (across, within))
    return NearDuplicates(floor, len(across), len(eval_queries), len(within), len(train_queries), *shown)


def _some(queries: Texts, known: Texts) -> list[tuple[str, CorpusRow]]:
    """As many as can be compared with all known ones in about a second."""
    length = sum(map(len, known)) // max(1, len(known)) + 1
    affordable = LETTERS_COMPARED // (max(1, min(BRUTE, len(known))) * length)
    pairs = list(queries.items())
    return [pairs[number] for number in evenly_spaced(range(len(pairs)), max(100, min(READ, affordable)))]


def _nearest(queries: Sequence[tuple[str, CorpusRow]], known: Texts, floor: float) -> list[Near]:
    """Each row with the nearest one of another group; the likeness is 0 where none is near."""
    rows = list(known.values())
    if not rows:
        return []
    groups = [_group(row) for row in rows]
    best = nearest([text for text, _ in queries], list(known), floor, [_group(row) for _, row in queries], groups)
    return [(row, rows[at], score) for (_, row), (at, score) in zip(queries, best, strict=True)]


def _texts(rows: Sequence[CorpusRow]) -> Texts:
    """Every text that is long enough, with the first row that has it."""
    found: Texts = {}
    for row in rows:
        text = normalize_text(main_text(row))
        if len(text) >= LETTERS:
            found.setdefault(text, row)
    return found


def _group(row: CorpusRow) -> str:
    """The video of a row, whose rows are alike anyway; without one, the row itself."""
    named = next((row.tags[name] for name in GROUPS if row.tags.get(name)), "")
    return f"{row.split} {named or row.where}"
