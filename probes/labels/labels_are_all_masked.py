from itertools import groupby

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import SpecialIds
from probes.facts.labels.types import LabelRow

AFTER = ("LAB00[25678]", "LAB010", "LAB013", "LAB025", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="LAB001", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def labels_are_all_masked(label_rows: tuple[LabelRow, ...], special_ids: SpecialIds | None = None) -> Findings:
    """All labels of a batch are -100 or padding, so the loss has nothing to score."""
    batches = [list(rows) for _, rows in groupby(label_rows, key=lambda row: row.batch)]
    padding = special_ids.padding if special_ids else ()
    masked = [rows for rows in batches if all(_without_text(row, padding) for row in rows)]
    if masked:
        labels = sum(row.length for rows in masked for row in rows)
        scored = sum(row.scored for rows in masked for row in rows)
        held = f", {scored} of them scored padding" if scored else ""
        yield Finding(
            where="batch " + ", ".join(str(rows[0].batch) for rows in masked),
            message=f"Valid labels: 0/{labels} (0.0%){held} in {len(masked)} of {len(batches)} batches, expected "
            "scored labels in all",
            fix="tokenize the target with text_target= and set only its padding to -100 in the collator",
            measured={"valid": 0, "labels": labels, "batches": len(masked)},
        )


def _without_text(row: LabelRow, padding: tuple[int, ...]) -> bool:
    """A class of a row of its own may have the number of the padding token: such a row has no padding."""
    return not row.scored or bool(row.padding and all(token in (-100, *padding) for token in row.ids))
