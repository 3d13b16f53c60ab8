from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, hooked


def _overwritten(hidden: Any) -> Any:
    powers = hidden.exp()
    result = powers.log()
    powers.mul_(0.0)
    return result


def _raises(facts: Facts) -> bool:
    try:
        backward_of(facts, lambda: None)
    except RuntimeError as error:
        return "inplace" in str(error)
    return False


@fault("what the backward pass needs is overwritten in place", "GRD003", _raises)
def changed_in_place(facts: Facts) -> Facts:
    return hooked(facts, _overwritten)
