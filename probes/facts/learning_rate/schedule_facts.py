"""The schedule that is attached to the run's optimiser, played through."""

from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.learning_rate.types import ScheduleCurve
from probes.facts.settings.types import UpdateCount


@provider
def schedule_pace(
    scheduler: Any, accumulated_step: Any, drawn_batches: tuple[Any, ...], model: Any, optimizer: Any = None
) -> int:
    """How often the schedule is stepped for one update, as seen in one; a step that does not touch it tells nothing."""
    from diagnose.engine import pass_counter
    from probes.facts.core.batches import copy_batch
    from probes.facts.core.observer import restore_afterwards
    from probes.facts.learning_rate.play_schedule import unwrapped

    inner = unwrapped(scheduler)
    with restore_afterwards(model, optimizer, inner):
        before = getattr(inner, "last_epoch", 0)
        try:
            accumulated_step([copy_batch(batch) for batch in drawn_batches])
        except Exception as error:
            raise Unavailable(f"accumulated_step raised {type(error).__name__}: {error}") from error
        finally:
            pass_counter.count_passes(len(drawn_batches))
        made = int(getattr(inner, "last_epoch", 0)) - before
    if made < 1:
        raise NotApplicable("the schedule is not stepped by accumulated_step")
    return made


@provider(priority=2)
def schedule_curve(
    scheduler: Any,
    update_count: UpdateCount,
    schedule_pace: int | None = None,
    trainer: Any = None,
    train_batches: Any = None,
) -> ScheduleCurve:
    """A Trainer steps once for each update; of a loop that nobody shows, nobody knows."""
    from probes.facts.learning_rate.play_schedule import play_schedule

    pace = schedule_pace or (1 if trainer is not None else None)
    per_epoch = len(train_batches) if hasattr(train_batches, "__len__") else 0
    epochs = update_count.updates / per_epoch if per_epoch else None
    try:
        return replace(play_schedule(scheduler, update_count.updates, pace), epochs=epochs)
    except (TypeError, ValueError, AttributeError, RuntimeError) as reason:
        raise NotApplicable(f"the schedule cannot be copied and simulated: {reason}") from reason
