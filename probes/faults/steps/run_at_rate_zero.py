from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import run_fault


@run_fault("the learning rate is zero", "STP017", lambda r: not any(r.series("lr").values))
def run_at_rate_zero(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 0.0, "steps": 15}
