from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import loss_of
from probes.faults.kit.model_parts import front_of


def _part(facts: Facts) -> Any:
    """The encoder; of a plain stack, a layer for which the mode matters."""
    from torch.nn import Dropout

    if type(facts["model"]).__name__ != "Sequential":
        return front_of(facts)
    return next(part for part in facts["model"] if isinstance(part, Dropout))


@fault(
    "a part is put into evaluation mode to look at it, and stays there",
    "PLC005",
    lambda facts: not _part(facts).training,
)
def part_left_resting(facts: Facts) -> Facts:
    facts["model"].train()
    awake = _loss(facts)
    _part(facts).eval()
    if _loss(facts) == awake:
        raise NotApplicable("the part has no dropout and no batch norm: at rest it is no different")
    return facts


def _loss(facts: Facts) -> float:
    """From one seed, with every part in the mode that it is in."""
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        torch.manual_seed(0)
        return float(loss_of(facts))
