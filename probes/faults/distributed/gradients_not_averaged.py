from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, drift_apart, wrapped


@fault("the step calls the model inside the wrapper, so that nobody averages gradients", "DST003", drift_apart)
def gradients_not_averaged(facts: Facts) -> Facts:
    if not getattr(facts["rank_facts"], "aware", True):
        raise NotApplicable("its function takes no rank: every process draws the same rows, and weights stay together")

    def alone(scene: Any, rank: int, processes: int) -> Facts:
        import torch

        model = scene.model if scene.wrapped else wrapped(scene.model, find_unused_parameters=True)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def step(batch: Any) -> None:
            optimizer.zero_grad()
            scene.compute_loss(model.module, batch).backward()
            optimizer.step()

        return {**scene.single_facts(), "model": model, "optimizer": optimizer, "training_step": step}

    return change_each_rank(facts, alone)
