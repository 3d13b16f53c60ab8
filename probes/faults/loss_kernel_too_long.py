from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.loss_changes import first_batch

LENGTHS = {"Hybrid": ("feats", 40), "SpeechEncoderDecoderModel": ("input_values", 7000)}
TEXT = ("input_ids", 9)


def _raises_on_short_rows(facts: Facts) -> bool:
    short = facts["collate"]([facts["train_dataset"][0]])
    try:
        facts["model"](**short)
    except RuntimeError:
        return bool(first_batch(facts))
    return False


@fault(
    id="loss_kernel_too_long",
    breaks="a convolution in front has a kernel that is longer than the shortest rows",
    named_by="LOS015",
    proof=_raises_on_short_rows,
    applies_to=("hybrid", "e2e", "mt5"),
)
def loss_kernel_too_long(facts: Facts) -> Facts:
    import torch

    name, length = LENGTHS.get(type(facts["model"]).__name__, TEXT)
    front = torch.nn.Conv1d(1, 1, length)

    def through(model: Any, given: Any, named: dict[str, Any]) -> None:
        front(torch.zeros(1, 1, named[name].shape[1]))

    facts["model"].register_forward_pre_hook(through, with_kwargs=True)
    return facts
