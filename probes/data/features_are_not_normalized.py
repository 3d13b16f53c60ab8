from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.features.types import Features

LARGE = 2.0  # rms; normalised features have 1, log-mel of Whisper and images scaled to 0..1 less
HUGE = 100.0  # whatever their mean
TINY = 1e-3  # quiet raw waveforms have 0.01


@probe(id="DAT047", stage=Stage.DATA, severity=Severity.WARNING, explains=("LOS025",))
def features_are_not_normalized(train_features: Features) -> Findings:
    """Input features are not normalized: their mean and standard deviation are far from 0 and 1."""
    mean, std, rms = train_features.mean, train_features.std, train_features.rms
    # Where the mean is larger than the spread, most of what the first layer computes is a constant.
    off = (abs(mean) > std and rms > LARGE) or rms > HUGE or 0 < rms < TINY
    if off and "Norm" not in train_features.first_layer:
        yield Finding(
            where=f"batches, {train_features.key}",
            message=f"the features have mean {mean:.3g} and standard deviation {std:.3g}, expected about 0 and 1",
            fix="normalize them with the mean and variance of each clip or of the training set",
            measured={"mean": mean, "std": std, "rows": len(train_features.rows)},
            setting="audio.cmvn: true",
        )
