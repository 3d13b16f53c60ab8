from typing import Any

from diagnose import fault
from probes.faults.changes import Facts


@fault(
    id="mask_not_used",
    breaks="the encoder is called without the padding mask that the model makes of the lengths",
    named_by="LAB023",
    proof=lambda facts: bool(facts["model"].encoder._forward_pre_hooks),
    applies_to=("hybrid",),
)
def mask_not_used(facts: Facts) -> Facts:
    def unmasked(module: Any, given: Any, named: Any) -> Any:
        return given, {**named, "src_key_padding_mask": None}

    facts["model"].encoder.register_forward_pre_hook(unmasked, with_kwargs=True)
    return facts
