"""The duration of a run, from the speed of this machine's matrix products."""

from diagnose.common.provider import provider
from probes.facts.memory.duration_types import DurationEstimate
from probes.facts.memory.types import MemoryPlan
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=2)
def duration_estimate(
    flops_per_second: float, memory_plan: MemoryPlan, update_count: UpdateCount, run_settings: RunSettings
) -> DurationEstimate:
    """For a model whose weights are not here: no step of it can be measured."""
    from probes.facts.memory.duration import at_speed, run_flops

    found = memory_plan.prediction
    flops = run_flops((found.step, *found.other_batches), update_count, run_settings.accumulation or 1)
    return at_speed(flops, flops_per_second)
