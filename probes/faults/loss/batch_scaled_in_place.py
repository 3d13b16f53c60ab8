from typing import Any

from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of


def _changes_its_batch(facts: Facts) -> bool:
    import torch

    x = batch_of(facts)[0].clone()
    before = x.clone()
    with torch.no_grad():
        facts["model"](x)
    return not torch.equal(x, before)


@fault("forward scales its rows in place, and the batches are kept in memory", "LOS023", _changes_its_batch, CLASSIFIER)
def batch_scaled_in_place(facts: Facts) -> Facts:
    def scale(module: Any, inputs: tuple[Any, ...]) -> None:
        inputs[0].mul_(0.9)

    facts["model"].register_forward_pre_hook(scale)
    return {**facts, "train_batches": list(facts["train_batches"])}
