from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault("a gradient overflows at every step", "STP019", lambda r: last(r, "scale") < 1)
def run_scaler_collapses(facts: Facts) -> dict[str, Any]:
    import torch

    weight = next(parameter for parameter in facts["model"].parameters() if parameter.requires_grad)

    def overflow(step: int, model: Any) -> None:
        if step == 1:
            weight.register_hook(lambda gradient: gradient / 0)

    return {"scaler": torch.amp.GradScaler("cpu"), "before": overflow, "steps": 24}
