from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG010", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("GRD001", "GRD003"))
def gradient_checkpointing_breaks_step(gradient_checkpointing_effect: CheckpointedStep) -> Findings:
    """Gradient checkpointing makes the training step raise, or removes gradients from parameters."""
    effect = gradient_checkpointing_effect
    if effect.error:
        said, fix = (f"the step raises {effect.error}; without it the step runs", "set gradient_checkpointing to false")
    elif effect.lost:
        lost, named = len(effect.lost), ", ".join(effect.lost[:3])
        said = f"{lost} of {effect.trainable} trainable parameters get no gradient ({named} …); without it they do"
        fix = "set gradient_checkpointing_kwargs={'use_reentrant': False}"
    else:
        return
    kind = "reentrant" if effect.reentrant else "not reentrant"
    yield Finding(
        where=f"gradient_checkpointing ({kind})",
        message=f"with checkpointing {said}",
        fix=fix,
        measured={"lost": len(effect.lost), "trainable": effect.trainable},
    )
