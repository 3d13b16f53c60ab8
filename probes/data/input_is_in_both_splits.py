from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import row_finding


@probe(
    id="DAT035",
    stage=Stage.DATA,
    severity=Severity.WARNING,
    explains=("DAT036", "DAT037", "DAT038", "DAT039"),
    spoils_row=True,
)
def input_is_in_both_splits(duplicates_across_splits: DuplicateInputs) -> Findings:
    """Evaluation audio or documents are also in the training set: data leakage."""
    count = len(duplicates_across_splits.across_splits)
    whole = Severity.ERROR if count == duplicates_across_splits.eval_rows else None
    for pair in duplicates_across_splits.across_splits:
        yield row_finding(
            pair.row,
            f"the same {pair.how} is in the training set at {pair.other.where}; {count} of "
            f"{duplicates_across_splits.eval_rows} evaluation rows are in both splits",
            "split again by recording with `train split`, so that no recording is in both splits",
            whole,
            shared=count,
            rows=duplicates_across_splits.eval_rows,
        )
