from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import LabelRow


@probe(id="LAB003", stage=Stage.LABELS, severity=Severity.WARNING, explains=("LAB029", "LRN*"))
def label_row_is_all_masked(fixed_label_rows: tuple[LabelRow, ...]) -> Findings:
    """All labels of a row are masked, so the row contributes nothing to the loss."""
    alive = {row.batch for row in fixed_label_rows if row.scored}
    masked = [row for row in fixed_label_rows if not row.scored and row.batch in alive]
    if masked:
        names = "; ".join(row.where for row in masked[:5])
        yield Finding(
            where=masked[0].where,
            message=f"Valid labels: 0/{masked[0].length} (0.0%), expected text; {len(masked)} of "
            f"{len(fixed_label_rows)} rows are affected: {names}",
            fix="drop rows without a target text before training",
            measured={"rows": len(masked), "of": len(fixed_label_rows)},
        )
