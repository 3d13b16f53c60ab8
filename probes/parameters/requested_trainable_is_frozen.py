from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import TrainablePatterns


@probe(id="PAR016", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("PAR020", "LRN*", "GEN*"))
def requested_trainable_is_frozen(trainable_patterns: TrainablePatterns) -> Findings:
    """A parameter requested in `trainable` is frozen or does not exist."""
    named = trainable_patterns
    if named.frozen:
        yield Finding(
            where=named.frozen[0],
            message=f"`trainable` requests it by {', '.join(named.patterns[:3])}, but it is frozen, with "
            f"{len(named.frozen)} parameters ({named.frozen_values:,} values) in total",
            fix="set requires_grad=True on it after the last call that freezes",
            measured={"parameters": len(named.frozen), "values": named.frozen_values},
        )
    for pattern in named.unmatched:
        yield Finding(
            where=f"trainable={pattern}",
            message="no parameter of the model matches this pattern of `trainable`",
            fix="use the names of model.named_parameters(), or apply the adapter before the preflight",
        )
