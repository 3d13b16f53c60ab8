from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, usual_loss
from probes.faults.kit.model_parts import main_input

LOOKED, QUARTER = 16, 4


def _lengths(facts: Facts) -> list[int]:
    """Of the first rows, each alone."""
    batches = [facts["collate"]([facts["train_dataset"][number]]) for number in range(LOOKED)]
    return [int(batch[main_input(facts["model"], batch)].shape[1]) for batch in batches]


def _raises_on_short_rows(facts: Facts) -> bool:
    lengths = _lengths(facts)
    short = facts["collate"]([facts["train_dataset"][lengths.index(min(lengths))]])
    try:
        usual_loss(facts)(facts["model"], short)
    except RuntimeError:
        return True
    return False


@fault(
    "a convolution in front has a kernel that is longer than the shortest rows",
    "LOS015",
    _raises_on_short_rows,
    ("hybrid", "e2e", "mt5"),
)
def loss_kernel_too_long(facts: Facts) -> Facts:
    import torch

    lengths = sorted(_lengths(facts))
    if lengths[QUARTER] == lengths[-1]:
        raise NotApplicable("its rows are of one length")
    front = torch.nn.Conv1d(1, 1, lengths[QUARTER] + 1)

    def through(model: Any, given: Any, named: dict[str, Any]) -> None:
        front(torch.zeros(1, 1, named[main_input(model, named)].shape[1]))

    facts["model"].register_forward_pre_hook(through, with_kwargs=True)
    return facts
