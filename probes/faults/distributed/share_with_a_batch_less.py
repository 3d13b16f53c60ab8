from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.rank_changes import batches_differ, change_each_rank, loader_of, needs_loader


@fault(
    "rows are dealt out one by one, and one process gets a batch less than the others",
    "DST001",
    lambda facts: batches_differ(facts, "count"),
)
def share_with_a_batch_less(facts: Facts) -> Facts:
    needs_loader(facts)

    def change(setup: Any, rank: int, processes: int) -> Facts:
        from torch.utils.data import DataLoader

        usual = loader_of(setup)
        batches = list(usual.batch_sampler)[: -1 if rank == processes - 1 else None]
        loader = DataLoader(usual.dataset, batch_sampler=batches, collate_fn=usual.collate_fn)
        return {**setup.single_facts(), "train_batches": loader}

    return change_each_rank(facts, change)
