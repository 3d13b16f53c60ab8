from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import first, run_fault


@run_fault("one batch is repeated without an update", "STP006", lambda r: first(r, "loss") > 0)
def run_repeats_one_loss(facts: Facts) -> dict[str, Any]:
    def still(step: int, model: Any) -> None:
        model.eval()

    return {"same_batch": True, "updates": False, "before": still, "records_weights": False, "steps": 15}
