from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG012", stage=Stage.CONFIG, severity=Severity.NOTE)
def use_cache_with_gradient_checkpointing(gradient_checkpointing_effect: CheckpointedStep) -> Findings:
    """use_cache is on together with gradient checkpointing and is ignored during training."""
    if gradient_checkpointing_effect.uses_cache and not gradient_checkpointing_effect.error:
        yield Finding(
            where="model.config.use_cache",
            message="it is True and gradient checkpointing is on, so it is ignored",
            fix="set model.config.use_cache = False for training and True for generation",
        )
