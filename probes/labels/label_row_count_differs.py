from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.batches.types import BatchShape
from probes.facts.first_step.types import FirstStep

AFTER = ("DAT04[123]", "LAB0*", "TOK005", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="LAB031", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def label_row_count_differs(batch_shape: BatchShape, first_step: FirstStep) -> Findings:
    """Labels and inputs have different numbers of rows in a batch."""
    failure = first_step.failure
    if failure is None:
        return
    form = batch_shape
    inputs = [(name, shape) for name, shape in form.inputs if shape]
    if not form.labels or not inputs or form.labels[0] in {shape[0] for _, shape in inputs}:
        return
    name, shape = inputs[0]
    turned = len(form.labels) > 1 and form.labels[1] == shape[0]
    told = "their rows and positions are swapped" if turned else "they belong to other items"
    yield Finding(
        where="batch 0",
        message=f"the labels have shape {list(form.labels)}, {name} {list(shape)}: {form.labels[0]} rows and "
        f"{shape[0]}, expected the same number; {told}, and the {failure.phase} raises {failure.error}",
        fix="stack labels with the batch dimension first" if turned else "collate inputs and labels of the same items",
        measured={"labels": form.labels[0], "inputs": shape[0]},
    )
