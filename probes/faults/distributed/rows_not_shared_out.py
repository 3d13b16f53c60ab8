from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import batches_differ, change_each_rank, loader_of, needs_loader, wrapped_model


@fault(
    "the loader has no DistributedSampler, and every process shuffles with the same seed",
    "DST002",
    lambda facts: not batches_differ(facts, "first"),
)
def rows_not_shared_out(facts: Facts) -> Facts:
    needs_loader(facts)

    def change(setup: Any, rank: int, processes: int) -> Facts:
        import torch
        from torch.utils.data import DataLoader

        usual, order = loader_of(setup), torch.Generator().manual_seed(0)
        how: dict[str, Any] = {"batch_size": len(next(iter(usual.batch_sampler))), "shuffle": True, "generator": order}
        loader: Any = DataLoader(usual.dataset, collate_fn=usual.collate_fn, **how)
        return {**setup.single_facts(), "train_batches": loader, "model": wrapped_model(setup)}

    return change_each_rank(facts, change)
