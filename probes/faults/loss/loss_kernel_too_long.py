from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import Facts, collate_rows
from probes.faults.kit.forward_changes import usual_loss
from probes.faults.kit.model_parts import main_input

ROWS, QUARTER = 16, 4


def _lengths(facts: Facts) -> list[int]:
    """Of the first rows, each alone."""
    batches = [collate_rows(facts, row) for row in range(ROWS)]
    return [int(batch[main_input(facts["model"], batch)].shape[1]) for batch in batches]


def _raises_on_short_rows(facts: Facts) -> bool:
    lengths = _lengths(facts)
    short = collate_rows(facts, lengths.index(min(lengths)))
    return raises(lambda: usual_loss(facts)(facts["model"], short), RuntimeError)


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

    def convolve(model: Any, inputs: Any, named: dict[str, Any]) -> None:
        front(torch.zeros(1, 1, named[main_input(model, named)].shape[1]))

    facts["model"].register_forward_pre_hook(convolve, with_kwargs=True)
    return facts
