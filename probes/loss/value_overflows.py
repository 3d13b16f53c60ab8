from dataclasses import replace

from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "scale the inputs of this operation down, normalize before it, or keep it in float32 (bf16 instead of fp16)"

LOWER_RATE = (
    "lower the learning rate (1e-5 to 1e-3 with Adam), clip gradients, and start again from weights that are small: "
    "the operation is not at fault"
)


@probe(id="LOS052", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def value_overflows(nan_origin: BisectResult) -> Findings:
    """A value overflows: it exceeds the largest number of its dtype."""
    for origin in nan_origin.with_cause("overflow"):
        weight, dtype = origin.exploded, origin.values[-1].dtype if origin.values else "its dtype"
        story = f"{origin.operation} in {origin.where} gave more than {dtype} can hold"
        if weight is None:
            yield nonfinite_finding(origin, story, FIX)
        else:
            rate = "" if weight.learning_rate is None else f" (learning rate {weight.learning_rate:.4g})"
            grown = f"the weight {weight.name} has grown to {weight.largest:.3g} before this step{rate}, and "
            found = nonfinite_finding(origin, grown + story, LOWER_RATE, weight=weight.name, largest=weight.largest)
            yield replace(found, setting="training.learning_rate: 1e-4")
