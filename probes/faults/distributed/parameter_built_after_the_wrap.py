from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import change_each_rank, facts_with_model, weights_differ, wrapped_model


@fault(
    "a parameter is built after the model was wrapped, by a generator that is seeded with the rank",
    "DST003",
    weights_differ,
)
def parameter_built_after_the_wrap(facts: Facts) -> Facts:
    def change(setup: Any, rank: int, processes: int) -> Facts:
        import torch

        model = wrapped_model(setup)
        scale = torch.nn.Parameter(torch.randn(4, generator=torch.Generator().manual_seed(rank)))
        model.module.late_scale = scale

        def compute_loss(model: Any, batch: Any) -> Any:
            return setup.compute_loss(model, batch) * (1 + 0.01 * scale.mean())

        return facts_with_model(setup, model, compute_loss=compute_loss)

    return change_each_rank(facts, change)
