from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.features.types import SilentBatch


@probe(id="DAT019", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT018", "LOS001", "GRD004"))
def silence_becomes_nan(silent_clip_batch: SilentBatch) -> Findings:
    """The collator turns a silent clip into NaN or Inf by dividing by zero or taking the log of zero."""
    clips = silent_clip_batch.silent_clips
    if silent_clip_batch.not_finite:
        there = f"the dataset has {clips} such clips" if clips else "no such clip was found yet"
        yield Finding(
            where=f"collate, {silent_clip_batch.key}",
            message=f"a clip of zeros becomes {silent_clip_batch.not_finite:,} NaN or infinite values of "
            f"{silent_clip_batch.size:,}, expected none; {there}",
            fix="add an epsilon to the divisor and inside the logarithm: (x - mean) / (std + 1e-5)",
            measured={"not_finite": silent_clip_batch.not_finite, "silent_clips": clips},
            severity=None if clips else Severity.WARNING,
        )
