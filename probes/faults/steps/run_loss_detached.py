from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import run_fault


@run_fault("the loss is detached from the weights", "STP012", lambda r: not any(r.series("grad_norm").values))
def run_loss_detached(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss.detach(), "steps": 12}
