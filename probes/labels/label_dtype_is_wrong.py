from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.batches.types import BatchShape
from probes.facts.first_step.types import FirstStep

AFTER = ("LAB0*", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")
TORCH_EXPECTS = ("long", "scalar type")  # what torch says when it wants numbers of classes


@probe(id="LAB030", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def label_dtype_is_wrong(batch_shape: BatchShape, first_step: FirstStep) -> Findings:
    """Labels have the wrong dtype: the embedding or the loss expects int64."""
    failure = first_step.failure
    if failure is None:
        return
    form = batch_shape
    if form.whole and form.kind != "int64" and any(word in failure.message.lower() for word in TORCH_EXPECTS):
        yield Finding(
            where="batch 0",
            message=f"the labels {list(form.labels or ())} are {form.kind}, expected int64: "
            f"{failure.error} in {failure.module or form.model}",
            fix="create them with dtype=torch.long, and pad them with the integer -100",
            measured={"type": form.kind, "error": failure.error},
        )
