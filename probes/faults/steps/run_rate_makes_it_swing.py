from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import run_fault


@run_fault(
    "the learning rate is too high to settle",
    "STP009",
    lambda r: max(r.series("loss").values[-20:]) > 4 * min(r.series("loss").values[-20:]),
    CLASSIFIER,
)
def run_rate_makes_it_swing(facts: Facts) -> dict[str, Any]:
    # Ten times lower it swings by half of its level or by all of it, as chance has it; so by all of it on twenty seeds.
    return {"rate": lambda step: 50_000.0 / (1 + 0.001 * step), "steps": 60}
