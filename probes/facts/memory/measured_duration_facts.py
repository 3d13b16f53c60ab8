"""The duration of a run, from the first step on this machine."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.first_step.types import FirstStep
from probes.facts.memory.duration_types import DurationEstimate
from probes.facts.memory.types import MemoryPlan
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=3)
def duration_estimate(
    model: Any,
    batch: Any,
    first_step: FirstStep,
    memory_plan: MemoryPlan,
    update_setup: Any,
    update_count: UpdateCount,
    run_settings: RunSettings,
) -> DurationEstimate:
    """The first batch was run for real: its FLOPs over its seconds are the speed of this machine."""
    from probes.facts.memory.duration import from_step, run_flops
    from probes.facts.memory.one_step import count_step

    seconds = first_step.forward_seconds + first_step.backward_seconds
    if not seconds:
        raise NotApplicable("no step was measured")
    found = memory_plan.prediction
    flops = run_flops((found.step, *found.other_batches), update_count, run_settings.accumulation or 1)
    return from_step(flops, seconds, count_step(update_setup, batch, found.options).meter.flops)
