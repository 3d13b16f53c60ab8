from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault(
    "the learning rate is a thousand times too high",
    "STP008",
    lambda r: last(r, "loss") > 3 * first(r, "loss"),
    ("whisper", "hybrid"),
)
def run_rate_far_too_high(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 1000.0 / (1 + 0.001 * step), "clip": None, "steps": 24}
