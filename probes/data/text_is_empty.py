from diagnose import Findings, Severity, Stage, probe
from probes.facts.corpus.types import CorpusRow
from probes.reporting.row_finding import row_finding

WRITTEN = {"nan", "NaN", "None", "<NA>", "NULL", "null"}  # what pandas, Python and databases write for nothing


@probe(id="DAT002", stage=Stage.DATA, severity=Severity.ERROR, explains=("LAB001", "LAB003"), spoils_row=True)
def text_is_empty(corpus_rows: tuple[CorpusRow, ...], needed_columns: tuple[str, ...] = ()) -> Findings:
    """A text in the manifest is empty or a literal null value, such as nan or None."""
    there = dict.fromkeys(name for row in corpus_rows for name in row.texts)
    for column in [name for name in there if not needed_columns or name in needed_columns]:
        rows = [row for row in corpus_rows if column in row.texts]
        empty = [row for row in rows if not row.texts[column].strip()]
        unused = len(empty) == len(rows) and any("".join(row.texts.values()).strip() for row in corpus_rows)
        written = [row for row in rows if row.texts[column].strip() in WRITTEN]
        for row in written:
            yield row_finding(
                row,
                f"its {column} is the string {row.texts[column].strip()!r}, as in {len(written)} of {len(rows)} rows: "
                "an empty cell that was saved as text",
                f"read the {column} with keep_default_na=False, fill it in, or remove these rows",
                column=column,
                written=len(written),
                rows=len(rows),
            )
        for row in () if unused else empty:  # a column that nobody filled belongs to another task
            yield row_finding(
                row,
                f"its {column} is empty, as in {len(empty)} of {len(rows)} rows, expected none",
                f"fill in the {column}, or remove these rows of the manifest",
                column=column,
                empty=len(empty),
                rows=len(rows),
            )
