"""Faults that let the models of two processes part: gradients that nobody averages, a parameter that came too late."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.ranks import first_batch, in_ranks, of_ranks, wrapped


def _part(facts: Facts) -> bool:
    """After one step, by asking the first process for its weights."""
    return not all(of_ranks(facts, lambda scene, rank: _same_as_first(scene)))


def _same_as_first(scene: Any) -> bool:
    import torch
    import torch.distributed as dist

    from probes.instruments.rank_steps import steps_of

    steps_of(scene, [first_batch(scene)])
    apart = []
    for parameter in scene.inner.parameters():
        first = parameter.detach().clone()
        dist.broadcast(first, 0)
        apart.append(not torch.equal(first, parameter))
    return not any(apart)


@fault(
    "parameter_built_after_the_wrap",
    "a parameter is built after the model was wrapped, by a generator that is seeded with the rank",
    "DST003",
    _part,
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

    return in_ranks(facts, late)


@fault(
    "gradients_not_averaged",
    "the step calls the model inside the wrapper, so that nobody averages gradients",
    "DST003",
    _part,
)
def gradients_not_averaged(facts: Facts) -> Facts:
    def alone(scene: Any, rank: int, processes: int) -> Facts:
        import torch

        model = scene.model if scene.wrapped else wrapped(scene.model, find_unused_parameters=True)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def step(batch: Any) -> None:
            optimizer.zero_grad()
            scene.compute_loss(model.module, batch).backward()
            optimizer.step()

        return {**scene.single_facts(), "model": model, "optimizer": optimizer, "training_step": step}

    return in_ranks(facts, alone)
