"""The learning rate's schedule, as the configuration describes it."""

from diagnose.common.provider import provider
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.config_facts import Values
from probes.facts.settings.types import RunSettings, UpdateCount


@provider(priority=1)
def schedule_curve(config_values: Values, run_settings: RunSettings, update_count: UpdateCount) -> ScheduleCurve:
    from probes.facts.learning_rate.play_schedule import schedule_of_settings

    return schedule_of_settings(run_settings, update_count.updates)
