from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, encoder_of


@fault(
    "the encoder is called without the padding mask that the model makes of the lengths",
    "LAB023",
    lambda facts: bool(encoder_of(facts)._forward_pre_hooks),
    ("hybrid",),
)
def mask_not_used(facts: Facts) -> Facts:
    def unmasked(module: Any, inputs: Any, named: Any) -> Any:
        """Without a mask, or with lengths that are those of the whole batch."""
        if "src_key_padding_mask" in named:
            return inputs, {**named, "src_key_padding_mask": None}
        frames, lengths = inputs
        return (frames, lengths * 0 + frames.shape[1]), named

    encoder_of(facts).register_forward_pre_hook(unmasked, with_kwargs=True)
    return facts
