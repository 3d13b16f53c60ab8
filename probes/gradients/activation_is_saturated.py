from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep

# Outputs at which the slope is below 1e-6 (|x| > 7.6 for tanh, > 13.8 for sigmoid): its input is far too large.
# A trained gate may be shut for most inputs, hardly for all of them.
FLAT = 0.99
SMALL = 64  # outputs: a few gates may well be shut


@probe(id="GRD008", stage=Stage.GRADIENTS, severity=Severity.WARNING, explains=("GRD002", "GRD005", "LRN*", "GEN*"))
def activation_is_saturated(repeated_step: RepeatedStep) -> Findings:
    """A tanh or sigmoid is saturated for the whole batch, so its gradient is close to zero."""
    flat = [one for one in repeated_step.activations if one.flat >= FLAT and one.size >= SMALL]
    if flat:
        first = flat[0]
        others = f"; {len(flat)} such layers, {', '.join(one.module for one in flat[:4])}" if len(flat) > 1 else ""
        yield Finding(
            where=first.module,
            message=f"{first.flat:.1%} of the {first.size} outputs of {first.function} in this {first.kind} are "
            f"saturated (slope below 1e-6), expected almost none{others}",
            fix=f"scale the input of {first.function} to about 1: normalize the input or initialize the weights "
            "smaller",
            measured={"flat": first.flat, "outputs": first.size, "layers": len(flat)},
        )
