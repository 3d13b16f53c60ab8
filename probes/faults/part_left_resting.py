from typing import Any

from diagnose import fault
from probes.faults.changes import ENCODERS, Facts, encoder_of


def _part(facts: Facts) -> Any:
    return encoder_of(facts) if type(facts["model"]).__name__ in ENCODERS else facts["model"][3]


@fault(
    id="part_left_resting",
    breaks="a part is put into evaluation mode to look at it, and stays there",
    named_by="PLC005",
    proof=lambda facts: not _part(facts).training,
)
def part_left_resting(facts: Facts) -> Facts:
    facts["model"].train()
    _part(facts).eval()
    return facts
