from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import ExtractorMatch


@probe(id="TOK010", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def feature_window_differs(feature_window: ExtractorMatch) -> Findings:
    """The feature extractor's window length differs from the model's number of input positions."""
    one = feature_window
    if one.value != one.expected:
        yield Finding(
            where="feature_extractor",
            message=f"its window has {one.value} frames, twice {one.model} is {one.expected}",
            fix="set the extractor's chunk_length and the model's max_source_positions together: 50 positions per "
            "second",
            measured={"extractor": one.value, "model": one.expected},
        )
