"""Rows of a manifest, and which of them to look at closely: the longest, the shortest and the oddest are among them."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from probes.facts.core.numbers import evenly_spaced
from probes.facts.corpus.addresses import is_address, size_at
from probes.facts.corpus.types import CorpusRow

SHARE = 32  # each extreme may take this part of the sample; there are nine of them, the rest is spread evenly
Value = Callable[[CorpusRow], float | None]


def choose(rows: Sequence[CorpusRow], count: int) -> list[int]:
    """Numbers of rows, ascending; all of them where there are no more than `count`."""
    if len(rows) <= count:
        return list(range(len(rows)))
    each = max(1, count // SHARE)
    chosen = set(chain.from_iterable(_extremes(rows, each)))
    chosen = set(sorted(chosen)[:count]) if len(chosen) > count else chosen
    left = [number for number in range(len(rows)) if number not in chosen]
    return sorted(chosen | set(evenly_spaced(left, count - len(chosen))))


def _extremes(rows: Sequence[CorpusRow], each: int) -> list[list[int]]:
    rarity = _rarity(rows)
    sides = [_ends(rows, value, each) for value in (_seconds, _letters, _letters_per_second, _bytes_per_second)]
    odd = sorted(range(len(rows)), key=lambda number: -rarity[number])[:each]
    return [*sides, odd, _one_per_extension(rows, each)]


def _ends(rows: Sequence[CorpusRow], value: Value, each: int) -> list[int]:
    """Where the value is smallest and where it is largest."""
    known = [(measured, number) for number, row in enumerate(rows) if (measured := value(row)) is not None]
    known.sort()
    return [number for _, number in (*known[:each], *known[-each:])]


def _seconds(row: CorpusRow) -> float | None:
    return row.seconds if row.seconds is not None else row.size


def _letters(row: CorpusRow) -> float | None:
    return sum(map(len, row.texts.values())) if row.texts else None


def _letters_per_second(row: CorpusRow) -> float | None:
    letters = _letters(row)
    return letters / row.seconds if letters is not None and row.seconds else None


def _bytes_per_second(row: CorpusRow) -> float | None:
    """Far off where a file is cut, empty, of another rate or of more channels than the rest."""
    return None if row.size is None else row.size / (row.seconds or 1.0)


def _rarity(rows: Sequence[CorpusRow]) -> list[float]:
    """How rare the rarest character of a row is: marks, another script and broken encodings stand out."""
    letters = [set("".join(row.texts.values())) for row in rows]
    counts = Counter(chain.from_iterable(letters))
    return [max((1 / counts[letter] for letter in own), default=0.0) for own in letters]


def _one_per_extension(rows: Sequence[CorpusRow], each: int) -> list[int]:
    """One row for each kind of file that is there."""
    first: dict[str, int] = {}
    for number, row in enumerate(rows):
        first.setdefault(row.audio.rpartition(".")[2].lower() if row.audio else "", number)
    return list(first.values())[:each]


TEXTS = ("transcript", "translation", "text", "sentence", "transcription", "document", "summary", "source", "target")
AUDIO = ("audio_path", "audio", "audio_filepath", "path", "file", "wav")
OURS = ("_file", "_line", "id")  # where a manifest of ours remembers that a row stands


def read_rows(
    rows: Iterable[Mapping[str, Any]], root: str | Path | None, split: str, texts: Sequence[str] = ()
) -> tuple[CorpusRow, ...]:
    """Every row; its audio is looked for on the disk and not opened."""
    names = tuple(dict.fromkeys((*texts, *TEXTS)))
    return tuple(read_row(number, row, root, split, names) for number, row in enumerate(rows))


def read_row(
    number: int, row: Mapping[str, Any], root: str | Path | None, split: str, names: tuple[str, ...]
) -> CorpusRow:
    column = next((name for name in AUDIO if isinstance(row.get(name), str | os.PathLike) and row[name]), "")
    audio = os.fspath(row[column]) if column else ""
    path = locate(audio, root)
    seconds, decimals = duration_of(row)
    file, line = row.get("_file"), row.get("_line")
    known = {column, *names, *OURS}
    return CorpusRow(
        where=f"{file}:{line}" if file else str(row.get("id") or f"{split} row {number}"),
        split=split,
        audio=audio,
        path=path,
        size=None if path is None else _size(path),
        texts={name: str(row[name] or "") for name in names if name in row},
        seconds=seconds,
        decimals=decimals,
        tags={str(name): str(value) for name, value in row.items() if name not in known and _plain(value)},
        file=None if file is None else str(file),
        line=int(str(line)) if str(line).isdigit() else None,
    )


def locate(audio: str, root: str | Path | None) -> str | None:
    """The file that a row means; None where its folder is not known, or where it climbs out of the one that is."""
    absolute = os.path.isabs(audio) or is_address(audio)  # noqa: PTH117  (a Path for each of a million rows)
    climbs = ".." in audio and not absolute and os.path.normpath(audio).startswith("..")
    if not audio or "\0" in audio or climbs or (root is None and not absolute):
        return None
    return audio if absolute else f"{root}{os.sep}{audio}"


def duration_of(row: Mapping[str, Any]) -> tuple[float | None, int]:
    """The duration in the row and its decimals; None where there is none that makes sense."""
    text = str(row.get("duration") or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        return None, 0
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 3
    return (seconds if 0 < seconds < float("inf") else None), decimals


def _size(path: str) -> int | None:
    if is_address(path):
        return size_at(path)
    try:
        return os.stat(path).st_size  # noqa: PTH116  (a Path for each of a million rows costs more than the call)
    except (OSError, ValueError):
        return None


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
