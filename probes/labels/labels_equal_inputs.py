from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import SourceLabelPair

FEWEST = 2  # one text may well be its own summary


@probe(id="LAB013", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB01[46]", "LRN*", "GEN*"))
def labels_equal_inputs(source_label_pairs: tuple[SourceLabelPair, ...]) -> Findings:
    """Labels equal the inputs in every row, so the model learns to copy."""
    if len(source_label_pairs) >= FEWEST and all(row.equal for row in source_label_pairs):
        yield Finding(
            where=source_label_pairs[0].where,
            message=f"all {len(source_label_pairs)} rows have labels equal to their input_ids "
            f"({source_label_pairs[0].tokens} tokens in this row), expected the tokens of the target",
            fix="tokenize the target column with text_target=, and keep these labels in the collator",
            measured={"rows": len(source_label_pairs), "tokens": source_label_pairs[0].tokens},
        )
