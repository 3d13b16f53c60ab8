"""How the user's own training step treats the schedule."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.gradients.types import UserStep


@provider(priority=2)
def schedule_pace(scheduler: Any, user_step: UserStep) -> int:
    """As seen in the user's own training step."""
    made = user_step.calls[-1].schedule_steps if len(user_step.calls) > 1 and user_step.calls[-1].updates else 0
    if made < 1:
        raise NotApplicable("the schedule is not stepped by training_step")
    return made
