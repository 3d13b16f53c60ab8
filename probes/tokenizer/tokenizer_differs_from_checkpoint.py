from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import StoredVocabulary

SAME = 0.9  # of the tokens; added ones change the id of none


@probe(id="TOK014", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("TOK015", "LOS*", "LRN*", "GEN*"))
def tokenizer_differs_from_checkpoint(stored_vocabulary: StoredVocabulary) -> Findings:
    """The tokenizer differs from the one in the checkpoint of the trained weights: its ids mean other tokens."""
    stored = stored_vocabulary
    if stored.example is None or stored.same >= SAME * stored.tokens:
        return
    token, there, here = stored.example
    yield Finding(
        where="the tokenizer",
        message=f"{stored.same} of {stored.tokens} tokens have the id that the tokenizer in {stored.directory} gives "
        f"them, expected all: {token!r} is {there} there and {'absent' if here is None else here} here",
        fix="load tokenizer and model from the same checkpoint; list new token tables in `fresh`",
        measured={"same": stored.same, "tokens": stored.tokens},
    )
