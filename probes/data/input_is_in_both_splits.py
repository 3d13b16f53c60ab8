from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import row_finding


@probe(id="DAT035", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT036", "DAT037", "DAT038", "DAT039"))
def input_is_in_both_splits(duplicates_across_splits: DuplicateInputs) -> Findings:
    """Evaluation audio or documents are also in the training set: data leakage."""
    count = len(duplicates_across_splits.across_splits)
    for pair in duplicates_across_splits.across_splits:
        yield row_finding(
            pair.row,
            f"the same {pair.how} is trained on at {pair.other.where}; "
            f"so are {count} of {duplicates_across_splits.eval_rows} evaluation rows",
            "split again by recording, so that nothing is on both sides: `train split`",
            shared=count,
            rows=duplicates_across_splits.eval_rows,
        )
