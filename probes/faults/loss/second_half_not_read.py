from typing import Any

from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of


def _second_half_is_silent(facts: Facts) -> bool:
    import torch

    model, x = facts["model"], batch_of(facts)[0]
    other = x.clone()
    other[:, x.shape[1] // 2 :] += 10
    before = model.training
    with torch.no_grad():
        same = torch.equal(model.eval()(x), model(other))
    model.train(before)
    return same


@fault(
    "the first half of the features is used twice, and the second not at all",
    "LOS022",
    _second_half_is_silent,
    CLASSIFIER,
)
def second_half_not_read(facts: Facts) -> Facts:
    def first_half_twice(module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        half = inputs[0].chunk(2, -1)[0]
        return (half.repeat(1, 2),)

    facts["model"].register_forward_pre_hook(first_half_twice)
    return facts
