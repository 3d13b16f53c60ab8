from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import run_fault


@run_fault("the schedule is never stepped", "STP018", lambda r: len(set(r.series("lr").values)) == 1)
def run_schedule_rests(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 1.0, "schedule": "cosine", "steps": 15}
