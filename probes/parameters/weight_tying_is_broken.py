from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import WeightTie


@probe(id="PAR013", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def weight_tying_is_broken(configured_weight_ties: tuple[WeightTie, ...]) -> Findings:
    """Weight tying is broken: parameters that the configuration ties are separate tensors."""
    for tie in configured_weight_ties:
        if not tie.one:
            values = "still equal" if tie.equal else "already different"
            yield Finding(
                where=tie.target,
                message=f"tie_word_embeddings is True, but it is not the same tensor as {tie.source} (their values "
                f"are {values}); loading the checkpoint ties them again and drops this one",
                fix="call model.tie_weights(), or set tie_word_embeddings=False before the model is created",
                measured={"equal": tie.equal},
            )
