import time
from typing import Any

from probes.faults.kit.changes import CLASSIFIER, ChangedDataset, Facts
from probes.faults.kit.short_runs import last, run_fault


def _late(batch: Any) -> Any:
    time.sleep(0.06)
    return batch


@run_fault("every batch comes late", "STP023", lambda r: last(r, "loading_seconds") > 0.05, CLASSIFIER)
def run_waits_for_data(facts: Facts) -> dict[str, Any]:
    facts["train_batches"] = ChangedDataset(facts["train_batches"], _late)
    return {"steps": 14}
