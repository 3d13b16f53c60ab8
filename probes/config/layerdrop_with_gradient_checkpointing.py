from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG011", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("DST*",))
def layerdrop_with_gradient_checkpointing(gradient_checkpointing_effect: CheckpointedStep) -> Findings:
    """LayerDrop is combined with gradient checkpointing in several processes, which then hang."""
    effect = gradient_checkpointing_effect
    if effect.layer_drop and effect.processes > 1:
        yield Finding(
            where="model.config.layerdrop",
            message=f"layerdrop is {effect.layer_drop:g} with gradient checkpointing and {effect.processes} "
            "processes; expected 0",
            fix="set layerdrop to 0 in the model's configuration",
            measured={"layerdrop": effect.layer_drop, "processes": effect.processes},
        )
