from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import NearDuplicates
from probes.reporting.row_finding import row_finding

LEAST = 5  # texts
TIMES = 2.0  # what training shows within itself
SIGMAS = 3.72  # one-sided, 1e-4: the chance that two samples of one corpus differ so much


@probe(id="DAT037", stage=Stage.DATA, severity=Severity.WARNING)
def near_text_is_in_both_splits(near_duplicates_across_splits: NearDuplicates) -> Findings:
    """Evaluation texts have far more near-duplicates in the training set than training texts do."""
    near = near_duplicates_across_splits
    ours, theirs = near.train_near / near.train_read, near.eval_near / near.eval_read
    pooled = (near.train_near + near.eval_near) / (near.train_read + near.eval_read)
    spread = (pooled * (1 - pooled) * (1 / near.train_read + 1 / near.eval_read)) ** 0.5
    if near.eval_near >= LEAST and theirs > TIMES * ours and theirs - ours > SIGMAS * spread:
        for row, other, likeness in near.pairs:
            yield row_finding(
                row,
                f"its text is {likeness:.0%} that of training row {other.where}; {theirs:.1%} of the evaluation texts "
                f"have a near-duplicate in the training set, but only {ours:.1%} of the training texts do",
                "find the copies (other subtitle versions, augmented texts) and keep them in one split",
                likeness=likeness,
                share=theirs,
                by_chance=ours,
            )
