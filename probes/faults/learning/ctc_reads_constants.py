from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the CTC head reads the mean of all frames instead of each frame",
    "LRN011",
    lambda facts: bool(facts["model"].ctc._forward_pre_hooks),
    ("hybrid",),
)
def ctc_reads_constants(facts: Facts) -> Facts:
    def average(module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return (inputs[0].mean((0, 1), keepdim=True).expand_as(inputs[0]),)

    facts["model"].ctc.register_forward_pre_hook(average)
    return facts
