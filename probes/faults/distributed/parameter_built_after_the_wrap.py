from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, drift_apart, facts_with_model, wrapped_model


@fault(
    "a parameter is built after the model was wrapped, by a generator that is seeded with the rank",
    "DST003",
    drift_apart,
)
def parameter_built_after_the_wrap(facts: Facts) -> Facts:
    def change(scene: Any, rank: int, processes: int) -> Facts:
        import torch

        model = wrapped_model(scene)
        scale = torch.nn.Parameter(torch.randn(4, generator=torch.Generator().manual_seed(rank)))
        model.module.late_scale = scale

        def compute_loss(model: Any, batch: Any) -> Any:
            return scene.compute_loss(model, batch) * (1 + 0.01 * scale.mean())

        return facts_with_model(scene, model, compute_loss=compute_loss)

    return change_each_rank(facts, change)
