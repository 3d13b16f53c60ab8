"""The texts of a corpus: those of tables as columns, those of plain rows one by one.

Polars is used for tables alone: its threads do not survive a fork, and what looks at plain rows may fork later.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import normalize

from probes.facts.corpus.manifest_rows import RowTable
from probes.facts.corpus.row_table import tables_of
from probes.facts.corpus.types import BlankTexts, CorpusRow, UsualText

if TYPE_CHECKING:
    import polars as pl

Texts: TypeAlias = "list[str] | pl.Series"
MAIN = ("transcript", "document", "text", "sentence", "transcription", "source")
EVENLY = 2000  # rows
WRITTEN = ("nan", "NaN", "None", "<NA>", "NULL", "null")  # what pandas, Python and databases write for nothing


def text_columns(tables: Sequence[RowTable]) -> "pl.DataFrame":
    """One column for each text, null where a row has none of that name; and the split of each row as `_split`."""
    import polars as pl

    return pl.concat([_of_table(table) for table in tables], how="diagonal")


def _of_table(table: RowTable) -> "pl.DataFrame":
    import polars as pl

    return table.rows.frame.select(pl.lit(table.split).alias("_split"), *table.texts)


def blank_texts(rows: Sequence[CorpusRow]) -> Iterator[BlankTexts]:
    """For each text column, the rows that are empty and those with a null value written as a word."""
    tables = tables_of(rows)
    yield from _blank_in_columns(rows, text_columns(tables)) if tables else _blank_in_rows(rows)


def _blank_in_rows(rows: Sequence[CorpusRow]) -> Iterator[BlankTexts]:
    columns = {name: [row.texts.get(name) for row in rows] for row in rows for name in row.texts}
    used = {name for name, texts in columns.items() if any(text and text.strip() for text in texts)}
    for name, texts in columns.items():
        stripped = [None if text is None else text.strip() for text in texts]
        filled = sum(text is not None for text in stripped)
        empty = tuple(rows[number] for number, text in enumerate(stripped) if text == "")
        written = tuple(rows[number] for number, text in enumerate(stripped) if text in WRITTEN)
        yield BlankTexts(name, filled, empty, written, len(empty) == filled and bool(used - {name}))


def _blank_in_columns(rows: Sequence[CorpusRow], frame: "pl.DataFrame") -> Iterator[BlankTexts]:
    import polars as pl

    names = [name for name in frame.columns if name != "_split"]
    if not names:
        return
    stripped = frame.lazy().select(pl.col(names).str.strip_chars())
    blank = stripped.with_row_index("_row").filter(
        pl.any_horizontal(pl.col(name).is_in(["", *WRITTEN]) for name in names)
    )
    some = blank.collect()
    for name in names:
        filled = len(frame) - frame[name].null_count()
        empty, written = (some.filter(pl.col(name).is_in(list(values)))["_row"] for values in (("",), WRITTEN))
        unused = len(empty) == filled and any(frame[other].str.strip_chars().ne("").any() for other in names)
        yield BlankTexts(name, filled, tuple(rows[n] for n in empty), tuple(rows[n] for n in written), unused)


def usual_texts(rows: Sequence[CorpusRow]) -> Iterator[UsualText]:
    """For each text column of the training set, a text that most rows have, if there is one."""
    tables = tables_of(rows)
    yield from _usual_in_columns(rows, text_columns(tables)) if tables else _usual_in_rows(rows)


def _usual_in_rows(rows: Sequence[CorpusRow]) -> Iterator[UsualText]:
    train = [row for row in rows if row.split == "train"]
    for name in dict.fromkeys(name for row in rows for name in row.texts):
        texts = [(text, row) for row in train if (text := row.texts.get(name, "").strip())]
        if texts:
            ((text, count),) = Counter(text for text, _ in texts).most_common(1)
            yield UsualText(name, text, count, len(texts), next(row for other, row in texts if other == text))


def _usual_in_columns(rows: Sequence[CorpusRow], frame: "pl.DataFrame") -> Iterator[UsualText]:
    """Among evenly spaced rows such a text is the most frequent one; then it is counted in all of them."""
    import polars as pl

    frame = frame.with_row_index("_row").filter(pl.col("_split") == "train")
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


def main_texts(rows: Sequence[CorpusRow]) -> Texts:
    """The text that each row is known by, "" where it has none."""
    return first_texts(rows, MAIN)


def first_texts(rows: Sequence[CorpusRow], names: Sequence[str]) -> Texts:
    """Of each row, the first of these texts that is not blank."""
    tables = tables_of(rows)
    if not tables:
        return [next((text for name in names if (text := row.texts.get(name, "")).strip()), "") for row in rows]
    import polars as pl

    frame = text_columns(tables)
    filled = [pl.when(pl.col(n).str.contains(r"\S")).then(pl.col(n)) for n in names if n in frame.columns]
    return frame.select(pl.coalesce([*filled, pl.repeat("", pl.len())]).alias("text"))["text"]


def normalized(texts: Texts) -> list[str]:
    """Without case, punctuation and spacing: two writings of one sentence are one."""
    if isinstance(texts, list):
        return [re.sub(r"[\W_]+", " ", normalize("NFC", text).lower()).strip() for text in texts]
    plain = texts.str.normalize("NFC").str.to_lowercase()
    return plain.str.replace_all(r"[\W_]+", " ").str.strip_chars().to_list()
