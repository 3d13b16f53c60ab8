from diagnose import fault
from probes.faults.kit.changes import Facts


def _repeats(facts: Facts) -> bool:
    batches = facts.get("eval_batches")
    return len(getattr(batches, "sampler", ())) > len(getattr(batches, "dataset", ()))


@fault("the evaluation reads its first rows twice", "DAT057", _repeats)
def evaluation_counted_twice(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader

    batches = facts["eval_batches"]
    rows = range(len(batches.dataset))
    again = DataLoader(batches.dataset, batches.batch_size, sampler=[*rows, *rows[:4]], collate_fn=batches.collate_fn)
    return {**facts, "eval_batches": again}
