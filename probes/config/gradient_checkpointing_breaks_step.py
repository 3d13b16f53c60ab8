from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG010", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("GRD001", "GRD003"))
def gradient_checkpointing_breaks_step(gradient_checkpointing_effect: CheckpointedStep) -> Iterator[Finding]:
    """Gradient checkpointing makes the training step raise, or removes gradients from parameters."""
    if gradient_checkpointing_effect.error:
        said, fix = (
            f"the step raises {gradient_checkpointing_effect.error}, without it the step does not",
            "set gradient_checkpointing off",
        )
    elif gradient_checkpointing_effect.lost:
        lost, named = len(gradient_checkpointing_effect.lost), ", ".join(gradient_checkpointing_effect.lost[:3])
        said = (
            f"{lost} of {gradient_checkpointing_effect.trainable} trainable parameters get no gradient ({named} …), "
            "without it they do"
        )
        fix = "set gradient_checkpointing_kwargs={'use_reentrant': False}"
    else:
        return
    kind = "reentrant" if gradient_checkpointing_effect.reentrant else "not reentrant"
    yield Finding(
        where=f"gradient_checkpointing ({kind})",
        message=f"with checkpointing {said}",
        fix=fix,
        measured={
            "lost": len(gradient_checkpointing_effect.lost),
            "trainable": gradient_checkpointing_effect.trainable,
        },
    )
