from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault(
    "the gradient grows by half of the first one at every step, at a tiny learning rate",
    "STP026",
    lambda r: last(r, "grad_norm") > 20 * first(r, "grad_norm"),
    CLASSIFIER,
)
def run_gradient_grows(facts: Facts) -> dict[str, Any]:
    def grown(step: int, loss: Any) -> Any:
        return loss.detach() + (loss - loss.detach()) * (1 + 0.5 * step)

    return {"loss": grown, "steps": 220, "rate": lambda step: 1e-3, "clip": 1.0}
