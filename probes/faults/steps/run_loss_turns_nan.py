from math import isfinite, nan
from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import TURN, last, run_fault


@run_fault("the loss is NaN from step 7 on", "STP001", lambda r: not isfinite(last(r, "loss")))
def run_loss_turns_nan(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss * nan if step == TURN else loss, "steps": 12}
