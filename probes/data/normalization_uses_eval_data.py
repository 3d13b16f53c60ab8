from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.features.types import SetStatistics, SplitStatistics

DIMENSIONS = 3  # fewer may be near 0 and 1 by chance
NEAR = 0.05  # of the standard error: in three dimensions by chance with less than 1e-4
ROUNDING = 1e-5  # of float32 vectors


@probe(id="DAT048", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT049",))
def normalization_uses_eval_data(split_statistics: SplitStatistics) -> Findings:
    """Normalization statistics were fitted on evaluation data, not on the training set alone."""
    train, evaluation, both = split_statistics.train, split_statistics.evaluation, split_statistics.both
    fitted = _fitted(evaluation)
    if split_statistics.dimensions < DIMENSIONS or (_fitted(train) and not fitted):
        return
    on = "the evaluation set alone" if fitted else "training and evaluation set together" if _fitted(both) else ""
    if on:
        yield Finding(
            where="train_dataset and eval_dataset",
            message=f"in all {split_statistics.dimensions} dimensions {on} has mean 0 and std 1, but the training set "
            f"is off by {train.mean:.3g}; expected statistics of the training set alone",
            fix="fit the mean and std on the training set and apply them to both sets",
            measured={"train": train.mean, "both": both.mean, "rows": both.rows},
        )


def _fitted(moments: SetStatistics) -> bool:
    near = max(ROUNDING, NEAR / moments.rows**0.5)
    return moments.mean < near and moments.std < max(0.01, 1 / moments.rows)
