from typing import Any

from diagnose import fault
from probes.faults.changes import Facts


@fault(
    id="future_visible",
    breaks="the decoder's self-attention has no causal mask",
    named_by="LAB012",
    proof=lambda facts: bool(facts["model"].decoder._forward_pre_hooks),
    applies_to=("hybrid",),
)
def future_visible(facts: Facts) -> Facts:
    def unmasked(module: Any, given: Any, named: Any) -> Any:
        return given, {**named, "tgt_mask": None}

    facts["model"].decoder.register_forward_pre_hook(unmasked, with_kwargs=True)
    return facts
