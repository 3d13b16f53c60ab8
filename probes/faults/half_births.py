"""Values that float32 holds and fp16 does not, put into a healthy model that is to be trained in fp16."""

from collections.abc import Callable
from typing import Any

from diagnose import Fault, fault
from probes.faults.anatomy import head_of
from probes.faults.changes import Facts, hook_output, loss_of
from probes.faults.parts import first_linear
from probes.faults.settings import with_fp16

Change = Callable[[Any], Any]
GPU = ("cpu", "cuda:0")
PLAIN = ("whisper", "hybrid", "classifier")  # the families of the other two are known to overflow, and are named so


def _changed(facts: Facts) -> bool:
    """The step in float32 is as it was, that in fp16 is not."""
    return facts.get("precision") == "fp16" and bool(first_linear(facts)[1]._forward_hooks)


def _born(id: str, breaks: str, named_by: str, change: Change) -> Fault:
    def put(facts: Facts) -> Facts:
        hook_output(first_linear(facts)[1], change)
        return with_fp16(facts, *GPU)

    put.__module__, put.__name__ = __name__, id
    return fault(id=id, breaks=breaks, named_by=named_by, proof=_changed, applies_to=PLAIN)(put)


def _up_to(hidden: Any, size: float) -> Any:
    """Scaled so that the largest is of this size, and back."""
    factor = size / float(hidden.detach().float().abs().max())
    return (hidden * factor) / factor


def _positions(hidden: Any) -> Any:
    import torch

    return hidden + 0 * torch.arange(5000, device=hidden.device).to(hidden.dtype)[0]


half_product_too_large = _born(
    "half_product_too_large", "a product passes what fp16 holds", "PRE001", lambda hidden: _up_to(hidden, 1e6)
)
half_value_near_the_end = _born(
    "half_value_near_the_end", "a value comes near to what fp16 holds", "PRE008", lambda hidden: _up_to(hidden, 2e4)
)
half_positions = _born("half_positions", "positions up to 5000 are held in fp16", "PRE005", _positions)
half_epsilon = _born(
    "half_epsilon",
    "rows are divided by a size with an eps of 1e-8",
    "PRE006",
    lambda hidden: hidden + (hidden * 0) / ((hidden * 0).abs() + 1e-8),
)
half_mask_of_a_whole_row = _born(
    "half_mask_of_a_whole_row",
    "a row is masked whole with -1e9, which float32 bears",
    "PRE007",
    lambda hidden: hidden + 0 * (hidden * 0).masked_fill(hidden == hidden, -1e9).softmax(-1),
)


@fault(
    id="half_factor_vanishes",
    breaks="scores are multiplied by 1 in float32 and by 8 in fp16, which rounds a small number away",
    named_by="PRE004",
    proof=lambda facts: facts.get("precision") == "fp16" and bool(head_of(facts)._forward_hooks),
    applies_to=PLAIN,
)
def half_factor_vanishes(facts: Facts) -> Facts:
    hook_output(head_of(facts), lambda scores: scores * (8 - 7 * ((scores.detach() * 0 + 1e-9) * 1e9)))
    return with_fp16(facts, *GPU)


class FixedScale:
    """A loss scale that does not move."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def get_scale(self) -> float:
        return self.scale


def _scaled(id: str, breaks: str, named_by: str, scale: float) -> Fault:
    def put(facts: Facts) -> Facts:
        return {**with_fp16(facts, *GPU), "grad_scaler": FixedScale(scale)}

    def proof(facts: Facts) -> bool:
        return float(loss_of(facts).detach()) > 0 and getattr(facts.get("grad_scaler"), "scale", None) == scale

    put.__module__, put.__name__ = __name__, id
    return fault(id=id, breaks=breaks, named_by=named_by, proof=proof, applies_to=PLAIN)(put)


half_scale_too_high = _scaled("half_scale_too_high", "the loss scale is fixed far too high", "PRE002", 2.0**30)
half_scale_too_low = _scaled("half_scale_too_low", "the loss scale is fixed far too low", "PRE003", 2.0**-20)
