"""Letters a second of every row, and the rows where they are far from the median."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from probes.facts.audio.file_record import header_seconds
from probes.facts.corpus.row_table import paths_of, tables_of
from probes.facts.corpus.text_columns import first_texts
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.types import SpeakingRate, SpeakingRates

if TYPE_CHECKING:
    import polars as pl

SPOKEN = ("transcript", "text", "sentence", "transcription")
FAR = 2.0  # from the median; a row nearer to it is only counted
FEW = 100  # rows of which all are kept

Seconds = Sequence[float | None]


def rates_of(rows: Sequence[CorpusRow], seconds: Seconds) -> SpeakingRates:
    import polars as pl

    texts = first_texts(rows, SPOKEN).str.replace_all(r"\s+", "").str.len_chars()
    table = pl.DataFrame({"letters": texts, "seconds": pl.Series(seconds, dtype=pl.Float64)}).with_row_index("row")
    table = table.filter((pl.col("letters") > 0) & (pl.col("seconds") > 0))
    rate = pl.col("letters") / pl.col("seconds")
    usual = float(table.select(rate.median()).item() or 0.0)
    far = table if table.height <= FEW else table.filter((rate > FAR * usual) | (rate < usual / FAR))
    kept = tuple(_rate(rows[row], letters, long) for row, letters, long in far.iter_rows())
    return SpeakingRates(table.height, usual, kept)


def _rate(row: CorpusRow, letters: int, seconds: float) -> SpeakingRate:
    column = next(name for name in SPOKEN if row.texts.get(name, "").strip())
    return SpeakingRate(row, column, letters, seconds)


def stated_seconds(rows: Sequence[CorpusRow]) -> Seconds:
    """As the rows say."""
    tables = tables_of(rows)
    if not tables:
        return [row.seconds for row in rows]
    return [seconds for table in tables for seconds in _column(table.rows.frame)]


def _column(frame: "pl.DataFrame") -> Seconds:
    import polars as pl

    if "duration" not in frame.columns:
        return [None] * frame.height
    return frame["duration"].str.strip_chars().cast(pl.Float64, strict=False).to_list()


def seconds_by_record(rows: Sequence[CorpusRow], records: Mapping[str, bytes]) -> Seconds:
    """By the header of the file; as the row says where it has none."""
    measured = [header_seconds(records[path]) if path else None for path in paths_of(rows)]
    return [own or stated for own, stated in zip(measured, stated_seconds(rows), strict=True)]
