from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.labels.types import EndTokens


@probe(id="LAB007", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def end_token_is_missing(endings: EndTokens) -> Iterator[Finding]:
    """Labels do not end with an end token: the model is not taught to stop."""
    if not endings.without or (endings.all and endings.masked):
        return
    names = "; ".join(row.where for row in endings.without[:5])
    yield Finding(
        where=endings.without[0].where,
        message=f"{len(endings.without)} of {endings.rows} rows hold no end token ({endings.token}), expected one in "
        f"each that is not cut: {names}",
        fix="let the tokenizer add its end token to the targets (add_special_tokens=True), or append it before padding",
        measured={"rows": len(endings.without), "of": endings.rows, "end_token": endings.token},
        severity=None if endings.all else Severity.WARNING,
    )
