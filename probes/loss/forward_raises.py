from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.loss_cures import cure_of
from probes.measured.steps import Failure, FirstStep


@probe(id="LOS003", stage=Stage.LOSS, severity=Severity.ERROR, explains=("DAT049",))
def forward_raises(first_step: FirstStep) -> Iterator[Finding]:
    """The model or its loss function raises on the first batch."""
    failure = first_step.failure
    if failure is None or failure.phase not in ("forward pass", "loss function"):
        return
    file, _, line = failure.line.rpartition(":")
    yield Finding(
        where=failure.module or "compute_loss",
        message=f"{failure}; expected one number that can be walked back",
        fix=_cure(failure),
        measured={"error": failure.error, "module": failure.module, "shapes": failure.shapes, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )


def _cure(failure: Failure) -> str:
    if failure.phase == "loss function":
        return "return the loss as a tensor with one element, still attached to the graph"
    return cure_of(failure, f"run this one batch by hand and mend {failure.line or 'the forward pass'}")
