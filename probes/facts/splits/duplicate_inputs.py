"""Rows with the same input: by the path, by the samples in the file, or, where there is no audio, by the text."""

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from probes.facts.audio.types import SameSounds
from probes.facts.core.progress_log import log_progress
from probes.facts.corpus.row_table import paths_of, tables_of
from probes.facts.corpus.text_columns import first_texts, normalized
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.types import DuplicateInputs, DuplicatePair

INPUTS = ("document", "source")  # texts that a row gives; a transcript is what it asks for, and many may read it
PIECE = 4096  # bytes from the middle of a file: different sounds differ there
NOT_WORDS = re.compile(r"[\W_]+")


def normalize_text(text: str) -> str:
    """Without case, punctuation and spacing: two writings of one sentence are one."""
    return NOT_WORDS.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip()


def find_duplicates(
    train: Sequence[CorpusRow], other: Sequence[CorpusRow], most_files: int, sounds: SameSounds | None = None
) -> DuplicateInputs:
    """All rows against all, by `sounds`; without them, samples are compared among files of the same size only."""
    named = any(paths_of(train)) and sounds is None
    same = _same_samples([*train, *other], most_files) if named else _names(sounds) if sounds else {}
    copies = {path for path, (_, exact) in sounds.first.items() if not exact} if sounds else set()
    first: dict[str, int] = {}
    repeated: list[DuplicatePair] = []
    conflicting: list[DuplicatePair] = []
    across: list[DuplicatePair] = []
    how = "sound" if any(paths_of(train)) else "document"
    for number, key in enumerate(_keys(train, same, sounds)):
        if key and (earlier := first.setdefault(key, number)) != number:
            pair = _pair(train[number], train[earlier], how, copies)
            (repeated if _target(pair.other) == _target(pair.row) else conflicting).append(pair)
    for number, key in enumerate(_keys(other, same, sounds)):
        if key in first:
            across.append(_pair(other[number], train[first[key]], how, copies))
    return DuplicateInputs(tuple(repeated), tuple(conflicting), tuple(across), len(train), len(other))


def has_inputs(rows: Sequence[CorpusRow]) -> bool:
    """Whether any row says what the model reads."""
    return any(paths_of(rows)) or any(first_texts(rows, INPUTS))


def _keys(rows: Sequence[CorpusRow], same: Mapping[str, str], sounds: SameSounds | None) -> list[str]:
    """What is the same for rows with the same input; "" for a row without one, or whose file is not there."""
    texts = normalized(first_texts(rows, INPUTS))
    there = sounds.there if sounds else {row.path for row in rows if row.size} if not tables_of(rows) else None
    keys = []
    for path, text in zip(paths_of(rows), texts, strict=True):
        if path is not None:
            known = os.path.normpath(path) if "." in path[:2] or "//" in path or "/." in path else path
            keys.append(same.get(known, known) if there is None or path in there else "")
        else:
            keys.append(f"text {text}" if text else "")
    return keys


def _input_text(row: CorpusRow) -> str:
    """The text that a row without audio gives to the model."""
    return "" if row.audio else next((row.texts[name] for name in INPUTS if row.texts.get(name)), "")


def _pair(row: CorpusRow, other: CorpusRow, how: str, copies: Collection[str]) -> DuplicatePair:
    """A copy that was resampled, compressed or cut is of the same recording."""
    if row.path and row.path == other.path:
        return DuplicatePair(row, other, "file")
    return DuplicatePair(row, other, "recording" if row.path in copies or other.path in copies else how)


def _names(sounds: SameSounds) -> dict[str, str]:
    return {os.path.normpath(path): os.path.normpath(first) for path, (first, _) in sounds.first.items()}


def _target(row: CorpusRow) -> tuple[str, ...]:
    """The texts that the row asks for: for a text task, all but the one it gives."""
    given = _input_text(row)
    return tuple(normalize_text(text) for text in row.texts.values() if not given or text != given)


def _same_samples(rows: Iterable[CorpusRow], most: int) -> dict[str, str]:
    """For each file with the same samples as another, one name for both."""
    sizes: dict[int, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.path is not None and row.size:
            sizes[row.size][os.path.normpath(row.path)] = None
    alike = [path for paths in sizes.values() if len(paths) > 1 for path in paths]
    chosen = alike[:most]
    pieces: dict[bytes, list[str]] = defaultdict(list)
    for path, digest in _digests(log_progress(chosen, len(chosen), "files of the same size compared"), whole=False):
        pieces[digest].append(path)
    wholes: dict[bytes, list[str]] = defaultdict(list)
    for path, digest in _digests((path for paths in pieces.values() if len(paths) > 1 for path in paths), whole=True):
        wholes[digest].append(path)
    return {path: paths[0] for paths in wholes.values() if len(paths) > 1 for path in paths}


def _digests(paths: Iterable[str], whole: bool) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123  (a Path for each costs more than the read)
            size = os.fstat(file.fileno()).st_size
            if not whole:
                file.seek(max(0, size // 2 - PIECE // 2))
            digest = hashlib.blake2b(file.read() if whole else file.read(PIECE), digest_size=16)
            digest.update(size.to_bytes(8, "little"))
            yield path, digest.digest()
