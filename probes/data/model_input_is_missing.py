from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.batches.types import BatchShape
from probes.facts.first_step.types import FirstStep

AFTER = ("DAT049", "LAB0*", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="DAT054", stage=Stage.DATA, severity=Severity.ERROR, explains=AFTER)
def model_input_is_missing(batch_shape: BatchShape, first_step: FirstStep) -> Findings:
    """Batches lack an input that the model's forward() requires."""
    failure = first_step.failure
    if failure is None:
        return
    if batch_shape.lacking:
        held = ", ".join(batch_shape.keys) or "nothing"
        yield Finding(
            where="batch 0",
            message=f"{batch_shape.model}.forward requires {', '.join(batch_shape.lacking)}; the batch has {held}, "
            f"and the {failure.phase} raises {failure.error}",
            fix=f"return {batch_shape.lacking[0]} from the collator under this key",
            measured={"lacking": ", ".join(batch_shape.lacking), "keys": held},
        )
