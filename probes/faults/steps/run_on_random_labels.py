from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import run_fault

EPOCHS, STEPS = 100, 1400  # the first two hundred steps still unlearn what the initial weights were sure of


@run_fault("labels are random in every batch", "STP007", lambda r: len(r.rows) > STEPS - 100, CLASSIFIER)
def run_on_random_labels(facts: Facts) -> dict[str, Any]:
    import torch

    draws, batches = torch.Generator().manual_seed(0), facts["train_batches"]
    anew = [(x, torch.randint(0, 5, y.shape, generator=draws)) for _ in range(EPOCHS) for x, y in batches]
    facts["train_batches"] = anew
    return {"steps": STEPS}
