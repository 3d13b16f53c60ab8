from difflib import get_close_matches

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.corpus.types import Columns

KNOWN = ("audio_path", "transcript", "translation", "document", "summary", "duration")


@probe(id="DAT031", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"))
def column_is_missing(columns: Columns) -> Findings:
    """The manifest lacks a column that the run reads, in some or all rows of a split."""
    every = {name for present in columns.present.values() for name in present}
    wanted = dict.fromkeys((*columns.needed, *(name for name in KNOWN if name in every)))
    for split, rows in columns.rows.items():
        present = columns.present[split]
        for name in wanted:
            missing = rows - present.get(name, 0)
            if missing and name != "duration":
                others = [column for column in present if column not in wanted]
                close = get_close_matches(name, others, n=1)
                found = ", ".join(sorted(column for column in present if not column.startswith("_")))
                yield Finding(
                    where=f"{split} rows",
                    message=f"{missing:,} of {rows:,} rows have no column {name!r}; columns found: {found}",
                    fix=f"rename {close[0]!r} to {name!r}" if close else f"add {name!r}, or rename the matching column",
                    measured={"column": name, "missing": missing, "rows": rows},
                )
