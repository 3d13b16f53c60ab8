from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import LabelRow


@probe(id="LAB002", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB018", "LAB036", "LOS*", "LRN*", "GEN*"))
def label_padding_is_scored(label_rows: tuple[LabelRow, ...]) -> Findings:
    """Label padding is not -100, so the loss scores padding tokens."""
    wrong = [row for row in label_rows if row.scored_padding]
    if wrong:
        worst = max(wrong, key=lambda row: row.scored_padding)
        scored = sum(row.scored_padding for row in wrong)
        valid = sum(row.scored for row in label_rows)
        yield Finding(
            where=worst.where,
            message=f"{worst.scored_padding} of {worst.padding} padding positions are {worst.padding_token} instead "
            f"of -100; in total {scored} of {valid} scored labels ({scored / valid:.1%}) are padding, in {len(wrong)} "
            "rows",
            fix="set label padding to -100 in the collator, by attention mask and not by token id",
            measured={"scored": scored, "valid": valid, "rows": len(wrong)},
        )
