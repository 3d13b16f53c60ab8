"""Do inputs and texts belong to each other? Lengths against lengths, and words against words."""

from collections.abc import Iterator, Sequence

from diagnose.common.provider import provider
from probes.facts.core.require import require
from probes.facts.corpus.types import Corpus, CorpusRow
from probes.facts.pairing.types import ManifestPairTest

SPEECH_COLUMNS = ("transcript", "text", "sentence", "transcription")
LEAST = 50  # rows; below, right pairs may look like chance
VARY = 0.1  # standard deviation over mean; below, rounding and pauses decide
MOST, STRETCHES = 2000, 8  # rows that are looked at; of more, eight stretches in the manifest's own order
WORDS_ROWS = 200  # every one is compared with every other
SHARED = 0.02  # of the words, in pairs that do not belong together; below, they are of different languages


@provider
def manifest_pair_tests(train_corpus: Corpus) -> tuple[ManifestPairTest, ...]:
    """Duration and transcript, transcript and translation, document and summary: whichever there are."""
    rows = _stretches(train_corpus.rows)
    require(len(rows) >= LEAST, f"{len(rows)} rows are too few, expected at least {LEAST}")
    found = [*_lengths(rows), *_words(rows)]
    return tuple(require(found, "the lengths are almost constant, or inputs and targets cannot be compared"))


def _lengths(rows: Sequence[CorpusRow]) -> Iterator[ManifestPairTest]:
    from probes.facts.pairing.permutation_tests import fit

    spoken = next((name for name in SPEECH_COLUMNS if rows[0].texts.get(name)), "")
    texts = [float(len(row.texts.get(spoken, ""))) for row in rows]
    others = [float(len(row.texts.get("translation", ""))) for row in rows]
    seconds = [_seconds(row) or 0.0 for row in rows] if spoken else [0.0] * len(rows)
    for names, left, right in (
        (("duration", spoken), seconds, texts),
        ((spoken, "translation"), texts, others),
    ):
        known = [number for number in range(len(rows)) if left[number] and right[number]]
        x, y = [left[number] for number in known], [right[number] for number in known]
        if len(known) >= LEAST and _vary(x) and _vary(y):
            yield from fit(*names, [rows[number] for number in known], x, y)


def _words(rows: Sequence[CorpusRow]) -> Iterator[ManifestPairTest]:
    from probes.facts.pairing.permutation_tests import overlap, overlap_fit

    own = [row for row in rows if row.texts.get("document") and row.texts.get("summary")][:WORDS_ROWS]
    asked, given = [row.texts["summary"] for row in own], [row.texts["document"] for row in own]
    if len(own) >= LEAST and overlap(asked[:LEAST], given[:LEAST]).mean() > SHARED:
        yield overlap_fit("document", "summary", own, asked, given)


def _stretches(rows: Sequence[CorpusRow]) -> Sequence[CorpusRow]:
    if len(rows) <= MOST:
        return rows
    size = MOST // STRETCHES
    starts = [round(k * (len(rows) - size) / (STRETCHES - 1)) for k in range(STRETCHES)]
    return [row for start in starts for row in rows[start : start + size]]


def _seconds(row: CorpusRow) -> float | None:
    """By the file's header: what the manifest says of it may have moved along with the text."""
    from probes.facts.audio.decode_files import seconds_of

    return (seconds_of(row.path) if row.path and row.size else None) or row.seconds


def _vary(values: Sequence[float]) -> bool:
    from statistics import fmean, pstdev

    return pstdev(values) > VARY * fmean(values)
