from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG010", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("GRD001", "GRD003"))
def checkpointing_breaks_the_step(checkpointed: CheckpointedStep) -> Iterator[Finding]:
    """With gradient checkpointing on, the same step raises, or parameters that had a gradient have none."""
    if checkpointed.error:
        said, fix = (
            f"the step raises {checkpointed.error}, without it the step does not",
            "set gradient_checkpointing off",
        )
    elif checkpointed.lost:
        lost, named = len(checkpointed.lost), ", ".join(checkpointed.lost[:3])
        said = (
            f"{lost} of {checkpointed.trainable} trainable parameters get no gradient ({named} …), without it they do"
        )
        fix = "set gradient_checkpointing_kwargs={'use_reentrant': False}"
    else:
        return
    kind = "reentrant" if checkpointed.reentrant else "not reentrant"
    yield Finding(
        where=f"gradient_checkpointing ({kind})",
        message=f"with checkpointing {said}",
        fix=fix,
        measured={"lost": len(checkpointed.lost), "trainable": checkpointed.trainable},
    )
