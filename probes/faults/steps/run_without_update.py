from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault("optimizer.step() is never called", "STP016", lambda r: first(r, "weight_norm") == last(r, "weight_norm"))
def run_without_update(facts: Facts) -> dict[str, Any]:
    return {"updates": False}
