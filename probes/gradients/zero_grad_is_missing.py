from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep

# What is left over is compared with what the update used: after a reset it is nought, and not merely small.
LEFT = 1e-3


@probe(id="GRD013", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD017", "LRN*", "STP*"))
def zero_grad_is_missing(user_step: UserStep) -> Findings:
    """zero_grad() is missing: each training step starts with the gradients of the previous one."""
    if len(user_step.calls) < 2:
        return
    first, second = user_step.calls
    if not first.updates or not first.backward_calls or not second.backward_calls:
        return
    alone, after = first.backward_calls[-1].after, second.backward_calls[-1].after
    found = second.backward_calls[0].before
    if not found > LEFT * first.updates[-1].norm:  # nor where the norm is NaN
        return
    yield Finding(
        where="training_step",
        message=f"the second call starts with a gradient of norm {found:.4g} before backward, expected 0; on the same "
        f"batch and weights the norm is {after:.4g} instead of {alone:.4g} ({after / alone if alone else 0:.2f} times)",
        fix="call optimizer.zero_grad() once per step: after optimizer.step(), or before backward()",
        measured={"left": found, "first": alone, "second": after},
    )
