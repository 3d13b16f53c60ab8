"""Letters a second of every row, and the rows where they are far from the median."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from probes.facts.audio.file_record import header_seconds
from probes.facts.corpus.manifest_rows import RowTable
from probes.facts.corpus.row_table import paths_of, tables_of
from probes.facts.corpus.text_columns import first_texts
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.types import SpeakingRate, SpeakingRates

if TYPE_CHECKING:
    import polars as pl

SPOKEN = ("transcript", "text", "sentence", "transcription")
FAR = 2.0  # from the median; a row nearer to it is only counted
FEW = 100  # rows of which all are kept

Seconds: TypeAlias = "Sequence[float | None] | pl.Series"


def rates_of(rows: Sequence[CorpusRow], seconds: Seconds) -> SpeakingRates:
    texts = first_texts(rows, SPOKEN)
    counted = _counted(texts, list(seconds)) if isinstance(texts, list) else _counted_in_columns(texts, seconds)
    rates = [letters / long for _, letters, long in counted]
    usual = median(rates) if rates else 0.0
    few = len(counted) <= FEW
    far = [one for one, rate in zip(counted, rates, strict=True) if few or rate > FAR * usual or rate < usual / FAR]
    return SpeakingRates(len(counted), usual, tuple(_rate(rows[row], letters, long) for row, letters, long in far))


def _counted(texts: Sequence[str], seconds: Sequence[float | None]) -> list[tuple[int, int, float]]:
    """Number, letters and seconds of each row that has both."""
    letters = (len("".join(text.split())) for text in texts)
    both = enumerate(zip(letters, seconds, strict=True))
    return [(number, count, long) for number, (count, long) in both if count and long and long > 0]


def _counted_in_columns(texts: "pl.Series", seconds: Seconds) -> list[tuple[int, int, float]]:
    import polars as pl

    text = pl.col("text")
    letters = (text.str.len_chars() - text.str.count_matches(r"\s")).alias("letters")
    known = pl.DataFrame({"text": texts, "seconds": pl.Series(seconds, dtype=pl.Float64)})
    table = known.with_row_index("row").select("row", letters, "seconds")
    return list(table.filter((pl.col("letters") > 0) & (pl.col("seconds") > 0)).iter_rows())


def _rate(row: CorpusRow, letters: int, seconds: float) -> SpeakingRate:
    column = next(name for name in SPOKEN if row.texts.get(name, "").strip())
    return SpeakingRate(row, column, letters, seconds)


def stated_seconds(rows: Sequence[CorpusRow]) -> Seconds:
    """As the rows say."""
    tables = tables_of(rows)
    if not tables:
        return [row.seconds for row in rows]
    import polars as pl

    return pl.concat(map(_column, tables))


def _column(table: RowTable) -> "pl.Series":
    import polars as pl

    if "duration" not in table.rows.frame.columns:
        return pl.Series([None] * len(table), dtype=pl.Float64)
    return table.column("duration").str.strip_chars().cast(pl.Float64, strict=False)


def seconds_by_record(rows: Sequence[CorpusRow], records: Mapping[str, bytes]) -> Seconds:
    """By the header of the file; as the row says where it has none."""
    measured = [header_seconds(records[path]) if path else None for path in paths_of(rows)]
    return [own or stated for own, stated in zip(measured, stated_seconds(rows), strict=True)]
