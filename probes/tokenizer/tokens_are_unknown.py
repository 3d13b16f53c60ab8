from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.text.types import UnknownTokenShares

SOME = 0.01  # an unknown token is an error that no training takes away: 1 % of the score is lost before it begins
MANY = 0.1  # more than the character error rate that a run is to reach


@probe(id="TOK004", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("TOK00[35]", "LOS*", "LRN*", "GEN*"))
def tokens_are_unknown(unknown_token_shares: UnknownTokenShares) -> Findings:
    """Many tokens of the texts are unknown to the tokenizer and become the same label."""
    share = unknown_token_shares.unknown
    if share >= SOME:
        yield Finding(
            where=unknown_token_shares.where,
            message=f"{share:.1%} of the tokens of {unknown_token_shares.texts} texts are the unknown token, expected "
            f"below {SOME:.0%}",
            fix="use a tokenizer for this language and case, or train one on the training texts",
            measured={"share": share, "texts": unknown_token_shares.texts},
            severity=None if share >= MANY else Severity.WARNING,
        )
