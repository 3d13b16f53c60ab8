from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of, drop_keys
from probes.faults.kit.forward_changes import usual_loss
from probes.faults.kit.gradient_changes import at_update


def _steps_twice(facts: Facts) -> bool:
    """In one update of two batches."""
    before = getattr(facts.get("scheduler"), "last_epoch", 0)
    after = at_update(facts, [batch_of(facts)] * 2, lambda: facts["scheduler"].last_epoch)
    return after is not None and after - before == 2


@fault("the schedule is stepped after every batch of an accumulated update", "CFG005", _steps_twice)
def schedule_stepped_for_every_batch(facts: Facts) -> Facts:
    from transformers import get_linear_schedule_with_warmup

    schedule, loss = get_linear_schedule_with_warmup(facts["optimizer"], 10, facts["total_steps"]), usual_loss(facts)

    def accumulated_step(batches: list[Any]) -> None:
        facts["model"].train()
        for batch in batches:
            (loss(facts["model"], batch) / len(batches)).backward()
            schedule.step()
        facts["optimizer"].step()
        facts["optimizer"].zero_grad()

    return {**drop_keys(facts, "config_values"), "scheduler": schedule, "accumulated_step": accumulated_step}
