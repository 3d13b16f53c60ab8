from diagnose import Finding, Findings, Severity, Stage, probe


@probe(id="LAB012", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB023", "LOS*", "LRN*", "GEN*"))
def causal_mask_is_missing(label_influence_distance: int) -> Findings:
    """The decoder has no causal mask: its logits depend on later labels."""
    if label_influence_distance < 0:
        yield Finding(
            where="batch 0",
            message=f"when one label is changed the scores change {-label_influence_distance} positions before it, "
            "expected only behind it: in generation nothing stands there yet",
            fix="give the decoder's self-attention a causal mask, and set is_decoder where the model has that setting",
            measured={"first_change": label_influence_distance},
        )
