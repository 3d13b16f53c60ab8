from collections.abc import Iterator
from itertools import groupby

from diagnose import Finding, Severity, Stage, probe
from probes.measured.data import LabelRow


@probe(id="LAB001", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def labels_are_all_masked(label_rows: tuple[LabelRow, ...]) -> Iterator[Finding]:
    """All labels of a batch are -100, so the loss has nothing to score: it is 0 or NaN."""
    batches = [list(rows) for _, rows in groupby(label_rows, key=lambda row: row.batch)]
    masked = [rows for rows in batches if not any(row.scored for row in rows)]
    if masked:
        labels = sum(row.length for rows in masked for row in rows)
        yield Finding(
            where="batch " + ", ".join(str(rows[0].batch) for rows in masked),
            message=f"Valid labels: 0/{labels} (0.0%) in {len(masked)} of {len(batches)} batches, expected text in all",
            fix="tokenise the target as text_target= and mask only its padding with -100 in the collator",
            measured={"valid": 0, "labels": labels, "batches": len(masked)},
        )
