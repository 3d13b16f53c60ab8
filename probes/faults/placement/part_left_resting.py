from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.anatomy import front_of
from probes.faults.changes import Facts, mode_matters


def _part(facts: Facts) -> Any:
    """The encoder; of a plain stack, a layer for which the mode matters."""
    from torch.nn import Dropout

    if type(facts["model"]).__name__ != "Sequential":
        return front_of(facts)
    return next(part for part in facts["model"] if isinstance(part, Dropout))


@fault(
    id="part_left_resting",
    breaks="a part is put into evaluation mode to look at it, and stays there",
    named_by="PLC005",
    proof=lambda facts: not _part(facts).training,
)
def part_left_resting(facts: Facts) -> Facts:
    facts["model"].train()
    if not mode_matters(facts):
        raise NotApplicable("it has no dropout and no batch norm: a part at rest is no different")
    _part(facts).eval()
    return facts
