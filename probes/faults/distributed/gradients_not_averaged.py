from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, drift_apart, facts_with_model, wrapped_model


@fault("the step calls the model inside the wrapper, so that nobody averages gradients", "DST003", drift_apart)
def gradients_not_averaged(facts: Facts) -> Facts:
    if not getattr(facts["rank_facts"], "aware", True):
        raise NotApplicable("its function takes no rank: every process draws the same rows, and weights stay together")

    def change(scene: Any, rank: int, processes: int) -> Facts:
        changed = facts_with_model(scene, wrapped_model(scene))

        def step(batch: Any) -> None:
            changed["optimizer"].zero_grad()
            scene.compute_loss(changed["model"].module, batch).backward()
            changed["optimizer"].step()

        return {**changed, "training_step": step}

    return change_each_rank(facts, change)
