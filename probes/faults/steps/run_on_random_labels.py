from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import run_fault


@run_fault("labels are drawn anew for every batch", "STP007", lambda r: len(r.rows) > 600, CLASSIFIER)
def run_on_random_labels(facts: Facts) -> dict[str, Any]:
    import torch

    batches = facts["train_batches"]
    facts["train_batches"] = [(x, torch.randint(0, 5, y.shape)) for _ in range(50) for x, y in batches]
    return {"steps": 700}
