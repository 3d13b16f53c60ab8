from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.settings.types import CheckpointedStep


@probe(id="CFG012", stage=Stage.CONFIG, severity=Severity.NOTE)
def cache_is_dropped_by_checkpointing(gradient_checkpointing_effect: CheckpointedStep) -> Iterator[Finding]:
    """use_cache is on beside gradient checkpointing: it is switched off while training, with a warning at step 1."""
    if gradient_checkpointing_effect.uses_cache and not gradient_checkpointing_effect.error:
        yield Finding(
            where="model.config.use_cache",
            message="it is True and gradient checkpointing is on; layers that are computed twice cannot fill a cache",
            fix="set model.config.use_cache = False for training, and True again for generating",
        )
