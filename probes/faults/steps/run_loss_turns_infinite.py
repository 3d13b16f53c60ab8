from math import inf
from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import TURN, run_fault


@run_fault("the loss is divided by zero at step 7", "STP001", lambda r: r.broken[1].loss == inf)
def run_loss_turns_infinite(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss / 0 if step == TURN else loss, "steps": TURN}
