from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.gradients.types import UserStep

CURES = (
    ("second time", "detach() what is carried over from one call of training_step to the next"),
    ("does not require grad", "take the no_grad or detach() out of training_step"),
    ("inplace", "carry no tensor with a graph over an update: detach() it"),
)


@probe(id="GRD019", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "STP*"))
def training_step_raises(user_step: UserStep) -> Iterator[Finding]:
    """The user's training_step raises, although forward and backward alone work."""
    failure = user_step.failure
    if failure is None:
        return
    file, _, line = failure.line.rpartition(":")
    default = f"run training_step by hand on this batch and mend {failure.line or 'it'}"
    yield Finding(
        where=failure.module or "training_step",
        message=f"{failure}; forward and backward of this batch alone did not, expected it of training_step too",
        fix=next((cure for words, cure in CURES if words in failure.message), default),
        measured={"error": failure.error, "call": user_step.failed_call, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
