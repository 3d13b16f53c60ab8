"""The duration of a run, from the speed of a device that was named."""

from diagnose.common.provider import provider
from probes.facts.memory.duration_types import DurationEstimate
from probes.facts.memory.types import MemoryPlan
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=1)
def duration_estimate(
    device_name: str, memory_plan: MemoryPlan, update_count: UpdateCount, run_settings: RunSettings
) -> DurationEstimate:
    """From the data sheet of the device."""
    from probes.facts.memory.duration import on_device, run_flops

    found = memory_plan.prediction
    flops = run_flops((found.step, *found.other_batches), update_count, run_settings.accumulation or 1)
    return on_device(flops, found.options, device_name)
