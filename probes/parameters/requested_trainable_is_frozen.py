from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import TrainablePatterns


@probe(id="PAR016", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def requested_trainable_is_frozen(trainable_patterns: TrainablePatterns) -> Findings:
    """A parameter requested in `trainable` is frozen or does not exist."""
    named = trainable_patterns
    if named.frozen:
        yield Finding(
            where=named.frozen[0],
            message=f"it is meant to train by {', '.join(named.patterns[:3])} and is frozen, with {len(named.frozen)} "
            f"parameters ({named.frozen_values:,} values) in all",
            fix="set requires_grad on it after the last call that freezes",
            measured={"parameters": len(named.frozen), "values": named.frozen_values},
        )
    for pattern in named.unmatched:
        yield Finding(
            where=f"trainable={pattern}",
            message="no parameter of the model has a name like this one, which is meant to train",
            fix="spell the pattern as model.named_parameters() does, or apply the adapter before the preflight",
        )
