from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import WeightTies

FIX = "copy the old head before the resize and restore it as a separate Parameter, with rows for the new tokens"


@probe(id="TOK011", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("TOK012", "TOK015", "LRN*", "GEN*"))
def lm_head_is_tied(ties: WeightTies) -> Findings:
    """The LM head is tied to the embedding although they should be separate tensors."""
    for name in ties.untied:
        others = next(names for names in ties.shared if name in names)
        yield Finding(
            where=name,
            message="it must not share weights, but it is the same tensor as "
            f"{', '.join(o for o in others if o != name)}",
            fix=FIX,
            measured={"shared": len(others)},
        )
    if not ties.untied and (ties.against_flag or ties.family):
        said = f"released {ties.family} models have a separate head" if ties.family else "tie_word_embeddings is False"
        yield Finding(
            where=ties.head,
            message=f"it is the same tensor as {ties.embedding}, although {said}",
            fix=FIX,
            severity=Severity.WARNING,
        )
