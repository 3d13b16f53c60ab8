from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep, UserStep

CURES = (
    ("second time", "detach() what {} keeps from step to step, or make it anew in every forward pass"),
    ("inplace", "detach() what {} keeps from step to step: its graph saw weights that have changed since"),
    ("size", "reset what {} keeps from step to step: it has the last batch's size"),
)


@probe(id="GRD018", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LOS015", "GRD019", "LRN*"))
def second_step_raises(repeated_step: RepeatedStep, user_step: UserStep | None = None) -> Iterator[Finding]:
    """The second step raises although the first one works: the model keeps state between steps."""
    failure = repeated_step.failure
    if failure is None or (user_step is not None and user_step.failure is None):
        return  # a step of one's own that goes on takes care of what the model keeps
    file, _, line = failure.line.rpartition(":")
    place = failure.module or "the model"
    cure = next((cure for words, cure in CURES if words in failure.message), "find out what {} keeps from step to step")
    yield Finding(
        where=failure.module or "loss.backward()",
        message=f"{failure}; the first step did not, expected the same of every step",
        fix=cure.format(place),
        measured={"error": failure.error, "module": failure.module, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
