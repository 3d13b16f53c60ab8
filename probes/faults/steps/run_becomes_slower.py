import time
from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import first, last, run_fault


@run_fault(
    "a hook is added at every step", "STP024", lambda r: last(r, "seconds") > 2 * first(r, "seconds"), CLASSIFIER
)
def run_becomes_slower(facts: Facts) -> dict[str, Any]:
    def add(step: int, model: Any) -> None:
        model.register_forward_hook(lambda *_: time.sleep(0.002))

    return {"before": add, "steps": 60}
