from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.text.types import UnknownTokenShares

SOME = 0.01  # of the tokens; below, it may be a few names
FEWER = 5  # times: another case must take most of the unknown away to be the cause


@probe(id="DAT028", stage=Stage.DATA, severity=Severity.ERROR, explains=("TOK00[345]",))
def case_is_unknown_to_tokenizer(unknown_token_shares: UnknownTokenShares) -> Findings:
    """The texts use a letter case that the tokenizer lacks, so letters become unknown tokens."""
    read = unknown_token_shares
    case, left = min(("lower", read.lowered), ("upper", read.raised), key=lambda pair: pair[1])
    if read.unknown > SOME and left * FEWER < read.unknown:
        yield Finding(
            where="texts of training and evaluation",
            message=f"{read.unknown:.1%} of the tokens are unknown with the texts as they are, {left:.1%} in {case} "
            "case",
            fix=f"convert the texts to {case} case for training and evaluation, or use a cased tokenizer",
            measured={"unknown": read.unknown, case: left, "texts": read.texts},
            severity=None if read.unknown > 0.2 else Severity.WARNING,  # a fifth unknown: nothing readable is left
        )
