from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault(
    "the gradient is a tenth of the last one at each of the first steps",
    "STP013",
    lambda r: 0 < last(r, "grad_norm") < 1e-5,
)
def run_gradient_vanishes(facts: Facts) -> dict[str, Any]:
    return {
        "loss": lambda step, loss: loss.detach() + (loss - loss.detach()) * 0.1 ** min(step, 10),
        "rate": lambda s: 0.1 + 0.001 * s,
    }
