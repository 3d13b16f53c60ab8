"""Values that are born not finite inside a healthy model, one kind each."""

from collections.abc import Callable
from typing import Any

from diagnose import Fault, fault
from probes.faults.changes import Facts, loss_of
from probes.faults.gradient_changes import hooked

Change = Callable[[Any], Any]


def _spoilt(facts: Facts) -> bool:
    from math import isfinite

    from probes.instruments.observer import observed

    with observed(facts["model"]):
        facts["model"].train()
        return not isfinite(float(loss_of(facts).detach()))


def _born(id: str, breaks: str, named_by: str, change: Change) -> Fault:
    def put(facts: Facts) -> Facts:
        return hooked(facts, change)

    put.__module__, put.__name__ = __name__, id
    return fault(id=id, breaks=breaks, named_by=named_by, proof=_spoilt)(put)


def _all_masked(hidden: Any) -> Any:
    return hidden + (hidden * 0).masked_fill(hidden == hidden, float("-inf")).softmax(-1)


log_taken_of_nought = _born(
    "log_taken_of_nought", "a logarithm is taken of 0", "LOS053", lambda hidden: hidden - (hidden * 0).log()
)
divided_by_nought = _born(
    "divided_by_nought", "rows are divided by a deviation of 0", "LOS054", lambda hidden: hidden / (hidden - hidden)
)
product_too_large = _born(
    "product_too_large", "a product passes what float32 holds", "LOS052", lambda hidden: hidden * 1e20 * 1e20
)
row_masked_whole = _born("row_masked_whole", "a softmax is given a row of -inf alone", "LOS056", _all_masked)
angle_out_of_range = _born(
    "angle_out_of_range", "acos is taken of 2", "LOS060", lambda hidden: hidden + (hidden * 0 + 2).acos()
)


def _endless(facts: Facts) -> bool:
    return any(group["lr"] == float("inf") for group in facts["optimizer"].param_groups)


@fault(id="rate_is_endless", breaks="the learning rate is infinite", named_by="LOS059", proof=_endless)
def rate_is_endless(facts: Facts) -> Facts:
    for group in facts["optimizer"].param_groups:
        group["lr"] = float("inf")
    return facts
