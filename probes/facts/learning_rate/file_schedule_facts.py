"""The learning rate's schedule, as arguments in a file or a dict describe it."""

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=3)
def schedule_curve(run_settings: RunSettings, update_count: UpdateCount) -> ScheduleCurve:
    """The schedule that transformers will make by its name."""
    from probes.facts.learning_rate.play_schedule import schedule_of_settings

    if run_settings.kind != "transformers" or run_settings.learning_rate is None:
        raise NotApplicable("the schedule is unknown: pass scheduler")
    try:
        return schedule_of_settings(run_settings, update_count.updates)
    except (TypeError, ValueError) as reason:
        raise NotApplicable(str(reason)) from reason
