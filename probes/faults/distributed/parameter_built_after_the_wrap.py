from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, drift_apart, wrapped


@fault(
    "a parameter is built after the model was wrapped, by a generator that is seeded with the rank",
    "DST003",
    drift_apart,
)
def parameter_built_after_the_wrap(facts: Facts) -> Facts:
    def late(scene: Any, rank: int, processes: int) -> Facts:
        import torch

        model = scene.model if scene.wrapped else wrapped(scene.model, find_unused_parameters=True)
        scale = torch.nn.Parameter(torch.randn(4, generator=torch.Generator().manual_seed(rank)))
        model.module.late_scale = scale
        usual = scene.compute_loss

        def loss(model: Any, batch: Any) -> Any:
            return usual(model, batch) * (1 + 0.01 * scale.mean())

        found = {**scene.single_facts(), "model": model, "compute_loss": loss}
        found.pop("training_step", None)
        return {**found, "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}

    return change_each_rank(facts, late)
