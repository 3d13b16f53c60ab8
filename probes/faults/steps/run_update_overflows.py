from math import inf
from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import TURN, run_fault


@run_fault("the update of step 7 is infinite", "STP003", lambda r: r.broken[0] == "weights")
def run_update_overflows(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: inf if step == TURN else 1.0 / (1 + step), "steps": 12}
