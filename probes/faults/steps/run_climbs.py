from typing import Any

from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault("the update goes up the gradient", "STP025", lambda r: last(r, "loss") > 1.5 * r.rows[0].loss, SEQUENCES)
def run_climbs(facts: Facts) -> dict[str, Any]:
    def turn(step: int, model: Any) -> None:
        for group in facts["optimizer"].param_groups:
            group["maximize"] = True

    return {"before": turn, "steps": 10, "rate": lambda step: 30.0 * min(1.0, step / 5)}
