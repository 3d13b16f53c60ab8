from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import TURN, run_fault


@run_fault("a root of zero in the backward pass of step 7", "STP002", lambda r: r.broken[0] == "grad_norm")
def run_root_at_zero(facts: Facts) -> dict[str, Any]:
    weight = next(facts["model"].parameters())
    return {"loss": lambda step, loss: loss + (weight.sum() * 0).sqrt() if step == TURN else loss, "steps": TURN}
