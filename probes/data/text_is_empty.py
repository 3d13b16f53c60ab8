from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.data import ManifestRow


@probe(id="DAT002", stage=Stage.DATA, severity=Severity.ERROR, explains=("LAB001", "LAB003"))
def text_is_empty(manifest_rows: tuple[ManifestRow, ...]) -> Iterator[Finding]:
    """A row of the manifest has an empty text where other rows have one: nothing to learn, or a NaN loss."""
    for column in dict.fromkeys(name for row in manifest_rows for name in row.texts):
        empty = [row for row in manifest_rows if not row.texts.get(column, 0)]
        unused = len(empty) == len(manifest_rows) and any(sum(row.texts.values()) for row in manifest_rows)
        if empty and not unused:  # a column that nobody filled belongs to another task
            names = "; ".join(row.where for row in empty[:5])
            yield Finding(
                where=empty[0].where,
                message=f"{column} is empty in {len(empty)} of {len(manifest_rows)} rows, expected none: {names}",
                fix=f"fill in the {column}, or take these rows out of the manifest",
                measured={"column": column, "empty": len(empty), "rows": len(manifest_rows)},
                file=empty[0].file,
                line=empty[0].line,
            )
