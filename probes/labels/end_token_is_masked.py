from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import EndTokens


@probe(id="LAB006", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def end_token_is_masked(end_tokens: EndTokens) -> Findings:
    """The EOS token is masked with -100 in every row, so the model never learns to stop."""
    if end_tokens.all and end_tokens.masked:
        yield Finding(
            where=end_tokens.without[0].where,
            message=f"none of {end_tokens.rows} rows has the end token {end_tokens.token} among its scored labels, "
            "and each has -100 where its end would stand; expected one end token in each row",
            fix="mask label padding by the attention mask: masking every padding id takes the end token along",
            measured={"rows": end_tokens.rows, "end_token": end_tokens.token},
        )
