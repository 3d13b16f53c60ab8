"""The learning rate's schedule, as the configuration describes it."""

import math

from diagnose.common.provider import provider
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.config_facts import Values
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=1)
def schedule_curve(config_values: Values, run_settings: RunSettings, update_count: UpdateCount) -> ScheduleCurve:
    from probes.facts.learning_rate.play_schedule import schedule_by_name

    warmup, updates = run_settings.warmup or 0.0, update_count.updates
    steps = int(warmup) if warmup >= 1 else math.ceil(warmup * updates)
    return schedule_by_name(run_settings.schedule or "linear", run_settings.learning_rate or 0.0, steps, updates)
