from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import TrainablePatterns


@probe(id="PAR017", stage=Stage.PARAMETERS, severity=Severity.WARNING)
def unrequested_module_is_trainable(trainable_patterns: TrainablePatterns) -> Findings:
    """A module is trainable although `trainable` does not request it."""
    named = trainable_patterns
    if named.unrequested:
        yield Finding(
            where=named.unrequested[0],
            message=f"it is trainable, with {len(named.unrequested)} parameters ({named.unnamed_values:,} values) in "
            f"total, but nothing in {', '.join(named.patterns[:3]) or 'an empty list'} matches it",
            fix="freeze it with requires_grad_(False), or add it to `trainable`",
            measured={"parameters": len(named.unrequested), "values": named.unnamed_values},
        )
