import inspect
from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import decoder_of

MASKS: dict[str, Any] = {"tgt_mask": None, "causal": False}


@fault(
    "the decoder's self-attention has no causal mask",
    "LAB012",
    lambda facts: any(part._forward_pre_hooks for part, _ in _masked(facts)),
    ("hybrid",),
)
def future_visible(facts: Facts) -> Facts:
    parts = _masked(facts)
    if not parts:
        raise NotApplicable("no part of its decoder is given a causal mask by name")
    for part, name in parts:
        part.register_forward_pre_hook(_without(name), with_kwargs=True)
    return facts


def _masked(facts: Facts) -> list[tuple[Any, str]]:
    """The decoder where it takes the mask; else every part of it that does."""
    parts = [(part, name) for part in decoder_of(facts).modules() for name in MASKS if name in _takes(part)]
    return parts[:1] if parts and parts[0][0] is decoder_of(facts) else parts


def _takes(part: Any) -> Any:
    return inspect.signature(part.forward).parameters


def _without(name: str) -> Any:
    def unmasked(module: Any, inputs: Any, named: Any) -> Any:
        return inputs, {**named, **({name: MASKS[name]} if name in named else {})}

    return unmasked
