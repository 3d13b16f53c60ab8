"""The learning rate's schedule, as arguments in a file or a dict describe it."""

import math

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=3)
def schedule_curve(run_settings: RunSettings, update_count: UpdateCount) -> ScheduleCurve:
    """The schedule that transformers will make by its name."""
    from probes.facts.learning_rate.play_schedule import schedule_by_name

    settings, updates = run_settings, update_count.updates
    if settings.kind != "transformers" or settings.learning_rate is None:
        raise NotApplicable("nobody says which schedule will be made: give scheduler")
    warmup = settings.warmup or 0.0
    steps = int(warmup) if warmup >= 1 else math.ceil(warmup * updates)
    try:
        return schedule_by_name(settings.schedule or "linear", settings.learning_rate, steps, updates)
    except (TypeError, ValueError) as reason:
        raise NotApplicable(str(reason)) from reason
