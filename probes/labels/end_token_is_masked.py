from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import EndTokens


@probe(id="LAB006", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def end_token_is_masked(scored_ends: EndTokens) -> Findings:
    """The EOS token is masked with -100 in every row, so the model never learns to stop."""
    if scored_ends.all and scored_ends.masked:
        yield Finding(
            where=scored_ends.without[0].where,
            message=f"none of {scored_ends.rows} rows has the EOS token {scored_ends.token} in its scored labels, and "
            "each has -100 at that position; expected one EOS token per row",
            fix="mask label padding with the attention mask: masking every padding id also masks EOS when pad_token "
            "is eos_token",
            measured={"rows": scored_ends.rows, "end_token": scored_ends.token},
        )
