from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import EndTokens


@probe(id="LAB007", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def end_token_is_missing(end_tokens: EndTokens) -> Findings:
    """Labels contain no EOS token, so the model does not learn to stop."""
    if not end_tokens.without or (end_tokens.all and end_tokens.masked):
        return
    names = "; ".join(row.where for row in end_tokens.without[:5])
    yield Finding(
        where=end_tokens.without[0].where,
        message=f"{len(end_tokens.without)} of {end_tokens.rows} rows have no EOS token ({end_tokens.token}), "
        f"expected one in each row that is not truncated: {names}",
        fix="let the tokenizer add EOS to the targets (add_special_tokens=True), or append it before padding",
        measured={"rows": len(end_tokens.without), "of": end_tokens.rows, "end_token": end_tokens.token},
        severity=None if end_tokens.all else Severity.WARNING,
    )
