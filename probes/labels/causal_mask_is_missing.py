from diagnose import Finding, Findings, Severity, Stage, probe


@probe(id="LAB012", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB023", "LOS*", "LRN*", "GEN*"))
def causal_mask_is_missing(label_influence_distance: int) -> Findings:
    """The decoder has no causal mask: its logits depend on later labels."""
    if label_influence_distance < 0:
        yield Finding(
            where="batch 0",
            message=f"changing one label changes the logits {-label_influence_distance} positions before it, expected "
            "only after it: in generation later tokens do not exist yet",
            fix="apply a causal mask in the decoder's self-attention, and set config.is_decoder = True if the model "
            "has it",
            measured={"first_change": label_influence_distance},
        )
