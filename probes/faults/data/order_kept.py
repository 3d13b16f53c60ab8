from diagnose import fault
from probes.faults.kit.changes import Facts, loader


def _in_order(facts: Facts) -> bool:
    batches = facts["train_batches"]
    named = getattr(batches, "batch_size", None) is not None  # else the order is a batch sampler's affair
    return named and type(getattr(batches, "sampler", None)).__name__ == "SequentialSampler"


@fault("the loader does not shuffle", "DAT044", _in_order)
def order_kept(facts: Facts) -> Facts:
    return {**facts, "train_batches": loader(facts, shuffle=False)}
