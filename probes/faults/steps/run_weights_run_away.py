from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault(
    "the learning rate is a hundred times too high",
    "STP015",
    lambda r: last(r, "weight_norm") > 3 * first(r, "weight_norm"),
    ("whisper", "e2e"),
)
def run_weights_run_away(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 100.0 / (1 + 0.001 * step)}
