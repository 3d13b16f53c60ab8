"""Which rows to look at closely: the longest, the shortest and the oddest are among them."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from probes.facts.core.numbers import evenly_spaced
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
