from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import FirstStep
from probes.facts.placement.types import Placement

DOUBLE = "float64"
TYPES = ("double", "dtype", "scalar type")  # what torch says when types do not fit


@probe(id="PLC004", stage=Stage.PLACEMENT, severity=Severity.ERROR, explains=("LAB*", "LOS*", "GRD*", "LRN*"))
def float64_tensors_are_present(placement: Placement, first_step: FirstStep | None = None) -> Findings:
    """Some tensors are float64, which raises a dtype error or slows down training."""
    double = [row for row in placement.rows if row.dtype == DOUBLE]
    model = [row for row in placement.of("parameter") if "float" in row.dtype]
    said = first_step.failure.message.lower() if first_step is not None and first_step.failure is not None else ""
    failed = any(word in said for word in TYPES)
    loss = first_step.loss.dtype if first_step is not None and first_step.loss is not None else ""
    if model and all(row.dtype == DOUBLE for row in model) and not failed:
        return  # everything on purpose
    owners = {row.owner for row in double}
    if not double and loss != DOUBLE:
        return
    # A loss function may convert the batch itself: then nothing is wrong with it.
    severity = None if failed else Severity.NOTE if owners == {"batch"} and loss != DOUBLE else Severity.WARNING
    first = double[0] if double else None
    yield Finding(
        where=first.name if first else "loss",
        message=f"this {first.owner} is float64 ({len(double)} tensors of {len(placement.rows)}), expected float32"
        f"{'; the first step fails' if failed else f'; the loss is {loss}' if loss else ''}"
        if first
        else "the loss is float64, although no tensor of model and batch is",
        fix="convert it to float32 where it is created; NumPy arrays are float64 by default",
        measured={"tensors": len(double), "loss": loss},
        severity=severity,
    )
