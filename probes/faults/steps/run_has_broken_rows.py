from typing import Any

from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.short_runs import run_fault


@run_fault("every twelfth batch costs thirty times as much", "STP010", lambda r: len(r.rows) == 60, SEQUENCES)
def run_has_broken_rows(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss * 30 if step % 12 == 0 else loss, "steps": 60}
