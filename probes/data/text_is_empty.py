from diagnose import Findings, Severity, Stage, probe
from probes.facts.corpus.types import BlankTexts
from probes.reporting.row_finding import row_finding


@probe(id="DAT002", stage=Stage.DATA, severity=Severity.ERROR, explains=("LAB001", "LAB003"), spoils_row=True)
def text_is_empty(blank_texts: tuple[BlankTexts, ...], needed_columns: tuple[str, ...] = ()) -> Findings:
    """A text in the manifest is empty or a literal null value, such as nan or None."""
    for blank in [one for one in blank_texts if not needed_columns or one.column in needed_columns]:
        column, count = blank.column, blank.rows
        for row in blank.written:
            yield row_finding(
                row,
                f"its {column} is the string {row.texts[column].strip()!r}, as in {len(blank.written)} of {count} "
                "rows: an empty cell that was saved as text",
                f"read the {column} with keep_default_na=False, fill it in, or remove these rows",
                column=column,
                written=len(blank.written),
                rows=count,
            )
        for row in () if blank.unused else blank.empty:  # a column that nobody filled belongs to another task
            yield row_finding(
                row,
                f"its {column} is empty, as in {len(blank.empty)} of {count} rows, expected none",
                f"fill in the {column}, or remove these rows of the manifest",
                column=column,
                empty=len(blank.empty),
                rows=count,
            )
