from diagnose import Findings, Severity, Stage, probe
from probes.facts.gradients.types import CustomBackward, RepeatedStep
from probes.reporting.code_finding import code_finding


@probe(id="GRD021", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD001", "GRD002", "LRN*"))
def custom_backward_is_wrong(repeated_step: RepeatedStep) -> Findings:
    """A custom autograd Function returns a wrong gradient from backward()."""
    for row in repeated_step.functions:
        told = _told(row)
        if told:
            where = f"{row.function}, argument {row.argument}"
            yield code_finding(row.line, where, *told, error=row.error, ratio=row.ratio, verdict=row.verdict)


def _told(row: CustomBackward) -> tuple[str, str, Severity | None] | None:
    """A forward pass that changes nothing, or that is flat, has a backward pass of its own by intention: that is told.

    Where the forward pass is smooth, differences are the truth, and another gradient is a mistake."""
    name = row.function
    if row.verdict == "wrong":
        off = f"the backward pass of {name} is off by {row.error:.0%}, {row.ratio:.3g} times the forward pass's slope"
        return f"{off}; expected less than 5 %", f"derive the backward pass of {name} anew and gradcheck it", None
    if row.verdict == "missing":
        message = (
            f"the backward pass of {name} returns None for an argument that its output depends on, expected a gradient"
        )
        return message, f"return the gradient of argument {row.argument} from {name}.backward", None
    if row.verdict == "identity":
        message = (
            f"{name} passes its input on and its gradient {row.ratio:.3g} times, expected 1 unless that is its purpose"
        )
        return message, "keep it if a reversed or scaled gradient is meant", Severity.NOTE
    if row.verdict == "flat":
        message = (
            f"{name} is flat, so its slope is 0, and its backward pass gives a gradient: a straight-through estimate"
        )
        return message, "keep it if the gradient is meant to pass straight through", Severity.NOTE
    return None
