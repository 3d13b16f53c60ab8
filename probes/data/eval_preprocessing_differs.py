from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.features.types import Features, Preprocessing

LEAST = 12  # rows on each side: fully apart by chance with 7e-7
GAP = 0.1  # of the features' spread, for the same items: rounding gives 1e-6
SHIFT, SCALE = 0.25, 1.25  # of the spread; smaller shifts do not matter


@probe(id="DAT049", stage=Stage.DATA, severity=Severity.WARNING)
def eval_preprocessing_differs(preprocessing: Preprocessing) -> Findings:
    """Evaluation inputs are preprocessed differently from training inputs."""
    train, other = preprocessing.train, preprocessing.evaluation
    told = _summary(preprocessing)
    if told:
        yield Finding(
            where=f"eval_batches, {other.key}",
            message=told,
            fix="use the same dataset class and collator settings for both; only augmentation may differ",
            measured={"train_mean": train.mean, "train_std": train.std, "mean": other.mean, "std": other.std},
        )


def _summary(both: Preprocessing) -> str:
    train, other = both.train, both.evaluation
    widths = {train.width, other.width}
    if train.key != other.key or (len(widths) > 1 and 0 not in widths):
        return f"training uses {train.key} of width {train.width}, evaluation {other.key} of width {other.width}"
    ours, theirs = (f"mean {one.mean:.3g} and std {one.std:.3g}" for one in (train, other))
    figures = f"{theirs} in evaluation, {ours} in training"
    if both.gap is not None and both.gap > GAP:
        return f"for the same items the two collators differ by {both.gap:.2g} standard deviations; {figures}"
    if min(len(train.rows), len(other.rows)) >= LEAST and (_means_apart(train, other) or _scales_apart(train, other)):
        return f"no evaluation row is similar to any training row: {figures}"
    return ""


def _means_apart(a: Features, b: Features) -> bool:
    ours, theirs = [row.mean for row in a.rows], [row.mean for row in b.rows]
    gap = max(min(theirs) - max(ours), min(ours) - max(theirs))
    return gap > 0 and abs(a.mean - b.mean) > SHIFT * max(a.std, 1e-6)


def _scales_apart(a: Features, b: Features) -> bool:
    ours, theirs = [row.std for row in a.rows], [row.std for row in b.rows]
    gap = max(min(theirs) - max(ours), min(ours) - max(theirs))
    return gap > 0 and max(a.std, b.std) > SCALE * max(min(a.std, b.std), 1e-12)
