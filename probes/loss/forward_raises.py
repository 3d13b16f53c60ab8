from typing import Any

from diagnose import Findings, Severity, Stage, probe
from probes.facts.first_step.types import FirstStep
from probes.reporting.failure_finding import failure_finding, fix_of


@probe(id="LOS003", stage=Stage.LOSS, severity=Severity.ERROR, explains=("DAT049",))
def forward_raises(first_step: FirstStep, batch: Any = None) -> Findings:
    """The forward pass or the loss function raises on the first batch."""
    failure = first_step.failure
    if failure is None or failure.phase not in ("forward pass", "loss function"):
        return
    held = "" if failure.shapes else _held(batch)
    message = f"{failure}{held and f'; the batch has {held}'}; expected a scalar loss with a graph"
    fix = "return the loss as a scalar tensor that is attached to the graph"
    if failure.phase == "forward pass":
        fix = fix_of(failure, "forward", f"run the model on this batch and fix {failure.line or 'the forward pass'}")
    where, shapes = failure.module or "compute_loss", failure.shapes or held
    yield failure_finding(failure, "", where, message, fix, module=failure.module, shapes=shapes)


def _held(batch: Any) -> str:
    """What the model was given, where the error does not come from a module that got tensors by name."""
    several = enumerate(batch) if isinstance(batch, list | tuple) else ()
    pairs = batch.items() if hasattr(batch, "items") else several
    return ", ".join(f"{name} {list(value.shape)}" for name, value in pairs if hasattr(value, "shape"))
