from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG011", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("DST*",))
def layers_drop_under_checkpointing(checkpointed: CheckpointedStep) -> Iterator[Finding]:
    """Layers are left out at random, checkpointed, in several processes: they wait for gradients that never come."""
    if checkpointed.layer_drop and checkpointed.processes > 1:
        yield Finding(
            where="model.config.layerdrop",
            message=f"it is {checkpointed.layer_drop:g}, with gradient checkpointing on and "
            f"{checkpointed.processes} processes; expected 0",
            fix="set layerdrop to 0 in the model's configuration",
            measured={"layerdrop": checkpointed.layer_drop, "processes": checkpointed.processes},
        )
