from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import ExtractorMatch


@probe(id="TOK008", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def mel_bins_differ(mel_bins: ExtractorMatch) -> Findings:
    """The feature extractor produces a different number of mel bins than the model expects."""
    one = mel_bins
    if one.value != one.expected:
        yield Finding(
            where="feature_extractor",
            message=f"it produces {one.value} {one.extractor}, but model.config.{one.model} is {one.expected}",
            fix="use the feature extractor of this model",
            measured={"extractor": one.value, "model": one.expected},
        )
