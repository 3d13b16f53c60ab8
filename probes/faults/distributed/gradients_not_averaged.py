from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, facts_with_model, weights_differ, wrapped_model


@fault("the step calls the model inside the wrapper, so gradients are not averaged", "DST003", weights_differ)
def gradients_not_averaged(facts: Facts) -> Facts:
    if not getattr(facts["rank_facts"], "aware", True):
        raise NotApplicable("its function takes no rank: every process draws the same rows, and weights stay together")

    def change(setup: Any, rank: int, processes: int) -> Facts:
        changed = facts_with_model(setup, wrapped_model(setup))

        def step(batch: Any) -> None:
            changed["optimizer"].zero_grad()
            setup.compute_loss(changed["model"].module, batch).backward()
            changed["optimizer"].step()

        return {**changed, "training_step": step}

    return change_each_rank(facts, change)
