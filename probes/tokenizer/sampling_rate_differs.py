from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import ExtractorMatch

AFTER = ("DAT011", "DAT021", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="TOK009", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=AFTER)
def sampling_rate_differs(sampling_rate: ExtractorMatch) -> Findings:
    """The feature extractor uses a different sampling rate than the model was trained with."""
    one = sampling_rate
    if one.value != one.expected:
        yield Finding(
            where="feature_extractor",
            message=f"{one.value} Hz, but {one.model} were trained at {one.expected} Hz: speech is too fast or too "
            "slow",
            fix="resample the audio to the model's rate and use the extractor that belongs to the model",
            measured={"extractor": one.value, "model": one.expected},
        )
