from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault("gradients are never cleared", "STP014", lambda r: last(r, "grad_norm") > 3 * first(r, "grad_norm"))
def run_without_zero_grad(facts: Facts) -> dict[str, Any]:
    return {"clears": False, "clip": None, "steps": 80}
