from diagnose import Findings, Severity, Stage, probe
from probes.facts.gradients.types import CustomBackward, RepeatedStep
from probes.reporting.code_finding import code_finding


@probe(id="GRD021", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD001", "GRD002", "LRN*"))
def custom_backward_is_wrong(repeated_step: RepeatedStep) -> Findings:
    """A custom autograd Function returns a wrong gradient from backward()."""
    for row in repeated_step.functions:
        told = _judge(row)
        if told:
            where = f"{row.function}, argument {row.argument}"
            yield code_finding(row.line, where, *told, error=row.error, ratio=row.ratio, verdict=row.verdict)


def _judge(row: CustomBackward) -> tuple[str, str, Severity | None] | None:
    """A forward pass that changes nothing, or that is flat, has a backward pass of its own by intention: that is told.

    Where the forward pass is smooth, differences are the truth, and another gradient is a mistake."""
    name = row.function
    if row.verdict == "wrong":
        off = f"the gradient of {name} is off by {row.error:.0%}; it is {row.ratio:.3g} times the numerical gradient"
        return f"{off}; expected less than 5 %", f"correct the backward of {name} and test it with gradcheck", None
    if row.verdict == "missing":
        message = (
            f"the backward pass of {name} returns None for an argument that affects its output, expected a gradient"
        )
        return message, f"return the gradient of argument {row.argument} from {name}.backward", None
    if row.verdict == "identity":
        message = f"{name} returns its input but scales the gradient by {row.ratio:.3g}, expected 1 unless intended"
        return message, "keep it if a reversed or scaled gradient is intended", Severity.NOTE
    if row.verdict == "flat":
        message = f"the derivative of {name} is 0, but its backward returns a gradient: a straight-through estimator"
        return message, "keep it if a straight-through estimator is intended", Severity.NOTE
    return None
