"""The texts of a corpus as columns, and what can be counted over all of them at once."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from probes.facts.corpus.manifest_rows import RowTable
from probes.facts.corpus.row_table import tables_of
from probes.facts.corpus.types import BlankTexts, CorpusRow, UsualText

if TYPE_CHECKING:
    import polars as pl

MAIN = ("transcript", "document", "text", "sentence", "transcription", "source")
EVENLY = 2000  # rows
WRITTEN = ("nan", "NaN", "None", "<NA>", "NULL", "null")  # what pandas, Python and databases write for nothing


def text_columns(rows: Sequence[CorpusRow]) -> "pl.DataFrame":
    """One column for each text, null where a row has none of that name; and the split of each row as `_split`."""
    import polars as pl

    tables = tables_of(rows)
    if tables:
        return pl.concat([_of_table(table) for table in tables], how="diagonal")
    names = list(dict.fromkeys(name for row in rows for name in row.texts))
    columns = {name: pl.Series([row.texts.get(name) for row in rows], dtype=pl.String) for name in names}
    return pl.DataFrame({"_split": [row.split for row in rows], **columns}, schema_overrides={"_split": pl.String})


def _of_table(table: RowTable) -> "pl.DataFrame":
    import polars as pl

    return table.rows.frame.select(pl.lit(table.split).alias("_split"), *table.texts)


def blank_texts(rows: Sequence[CorpusRow]) -> Iterator[BlankTexts]:
    """For each text column, the rows that are empty and those with a null value written as a word."""
    import polars as pl

    frame = text_columns(rows)
    names = [name for name in frame.columns if name != "_split"]
    stripped = frame.lazy().select(pl.col(names).str.strip_chars())
    blank = stripped.with_row_index("_row").filter(
        pl.any_horizontal(pl.col(name).is_in(["", *WRITTEN]) for name in names)
    )
    some = blank.collect() if names else pl.DataFrame()
    for name in names:
        filled = len(frame) - frame[name].null_count()
        empty, written = (some.filter(pl.col(name).is_in(list(values)))["_row"] for values in (("",), WRITTEN))
        unused = len(empty) == filled and any(frame[other].str.strip_chars().ne("").any() for other in names)
        yield BlankTexts(name, filled, tuple(rows[n] for n in empty), tuple(rows[n] for n in written), unused)


def usual_texts(rows: Sequence[CorpusRow]) -> Iterator[UsualText]:
    """For each text column of the training set, a text that most rows have, if there is one.

    Among evenly spaced rows such a text is the most frequent one; then it is counted in all of them.
    """
    import polars as pl

    frame = text_columns(rows).with_row_index("_row").filter(pl.col("_split") == "train")
    for name in frame.columns:
        if name in ("_split", "_row"):
            continue
        some = frame[:: max(1, frame.height // EVENLY)][name].str.strip_chars()
        some = some.filter(some != "")
        if not len(some):
            continue
        text = some.mode(maintain_order=True)[0]
        stripped = pl.col(name).str.strip_chars()
        same = pl.col("_row").filter(stripped == text)
        counts = frame.lazy().select(first=same.first(), count=same.len(), total=(stripped != "").sum()).collect()
        first, count, total = counts.row(0)
        yield UsualText(name, text, count, total, rows[first])


def main_texts(rows: Sequence[CorpusRow]) -> "pl.Series":
    """The text that each row is known by, "" where it has none."""
    return first_texts(rows, MAIN)


def first_texts(rows: Sequence[CorpusRow], names: Sequence[str]) -> "pl.Series":
    """Of each row, the first of these texts that is not blank."""
    import polars as pl

    frame = text_columns(rows)
    filled = [pl.when(pl.col(n).str.contains(r"\S")).then(pl.col(n)) for n in names if n in frame.columns]
    return frame.select(pl.coalesce([*filled, pl.repeat("", pl.len())]).alias("text"))["text"]


def normalized(texts: "pl.Series") -> "pl.Series":
    """Without case, punctuation and spacing: two writings of one sentence are one."""
    plain = texts.str.normalize("NFC").str.to_lowercase()
    return plain.str.replace_all(r"[\W_]+", " ").str.strip_chars()
