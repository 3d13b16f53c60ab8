from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import WeightTies

FIX = "copy the old head before the resize and put it back as a Parameter of its own, with rows for the new tokens"


@probe(id="TOK011", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("TOK012", "LRN*", "GEN*"))
def lm_head_is_tied(ties: WeightTies) -> Findings:
    """The LM head is tied to the embedding although they should be separate tensors."""
    for name in ties.untied:
        others = next(names for names in ties.shared if name in names)
        yield Finding(
            where=name,
            message=f"it must not share weights, and is one tensor with {', '.join(o for o in others if o != name)}",
            fix=FIX,
            measured={"shared": len(others)},
        )
    if not ties.untied and (ties.against_flag or ties.family):
        said = f"released {ties.family} models have heads of their own" if ties.family else "tie_word_embeddings is off"
        yield Finding(
            where=ties.head,
            message=f"it is one tensor with {ties.embedding}, though {said}",
            fix=FIX,
            severity=Severity.WARNING,
        )
