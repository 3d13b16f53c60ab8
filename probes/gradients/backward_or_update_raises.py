from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.first_step.types import FirstStep

CURES = (
    (
        "does not require grad",
        "keep the loss attached to parameters that train: no detach(), item(), no_grad or full freeze",
    ),
    (
        "modified by an inplace operation",
        "replace the in-place operation (x += y, x[i] = y) by one that makes a new tensor",
    ),
    ("second time", "build the graph anew in every step: keep no tensor of an earlier one without detach()"),
)


@probe(id="GRD003", stage=Stage.GRADIENTS, severity=Severity.ERROR)
def backward_or_update_raises(first_step: FirstStep) -> Iterator[Finding]:
    """The backward pass or the optimizer update raises on the first batch."""
    failure = first_step.failure
    if failure is None or failure.phase not in ("backward pass", "update"):
        return
    file, _, line = failure.line.rpartition(":")
    default = f"run one step by hand on this batch and mend the {failure.phase}"
    yield Finding(
        where=failure.module or "loss.backward()" if failure.phase == "backward pass" else "optimizer.step()",
        message=f"{failure}; expected a gradient for each trainable parameter",
        fix=next((cure for words, cure in CURES if words in failure.message), default),
        measured={"error": failure.error, "phase": failure.phase, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
