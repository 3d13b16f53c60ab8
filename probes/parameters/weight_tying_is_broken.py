from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import WeightTie


@probe(id="PAR013", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def weight_tying_is_broken(configured_weight_ties: tuple[WeightTie, ...]) -> Findings:
    """Weight tying is broken: parameters that the configuration ties are separate tensors."""
    for tie in configured_weight_ties:
        if not tie.one:
            values = "equal so far" if tie.equal else "different already"
            yield Finding(
                where=tie.target,
                message=f"tie_word_embeddings is on, and it is not one tensor with {tie.source} (their values are "
                f"{values}); loading what is saved ties them again and drops this one",
                fix="call model.tie_weights(), or set tie_word_embeddings to False before the weights are made",
                measured={"equal": tie.equal},
            )
