import time
from collections.abc import Iterator
from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import last, run


class _Slow:
    """Batches that come late."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            time.sleep(0.06)
            yield batch


@run("every batch comes late", "STP023", lambda r: last(r, "loading_seconds") > 0.05, ("classifier",))
def run_waits_for_data(facts: Facts) -> dict[str, Any]:
    facts["train_batches"] = _Slow(facts["train_batches"])
    return {"steps": 14}
