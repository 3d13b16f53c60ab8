from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import ask_each_rank, change_each_rank, drawn_by, loader_of, needs_loader


def _as_in_a_run(scene: Any) -> Any:
    from probes.faults.kit.rank_changes import wrapped

    return scene.model if scene.wrapped else wrapped(scene.model, find_unused_parameters=True)


@fault(
    "the loader has no DistributedSampler, and every process shuffles with the same seed",
    "DST002",
    lambda facts: len({drawn.first for drawn in ask_each_rank(facts, lambda scene, rank: drawn_by(scene))}) == 1,
)
def rows_not_shared_out(facts: Facts) -> Facts:
    needs_loader(facts)

    def whole(scene: Any, rank: int, processes: int) -> Facts:
        import torch
        from torch.utils.data import DataLoader

        usual = loader_of(scene)
        order = torch.Generator().manual_seed(0)
        size = len(next(iter(usual.batch_sampler)))
        loader: Any = DataLoader(
            usual.dataset, batch_size=size, shuffle=True, generator=order, collate_fn=usual.collate_fn
        )
        return {**scene.single_facts(), "train_batches": loader, "model": _as_in_a_run(scene)}

    return change_each_rank(facts, whole)
