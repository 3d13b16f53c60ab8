from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault("the gradient grows by half at every step", "STP011", lambda r: last(r, "grad_norm") > 1e5)
def run_gradient_explodes(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss.detach() + (loss - loss.detach()) * 1.5**step}
