from diagnose import fault
from probes.faults.kit.changes import Facts


def _endless(facts: Facts) -> bool:
    return any(group["lr"] == float("inf") for group in facts["optimizer"].param_groups)


@fault("the learning rate is infinite", "LOS059", _endless)
def rate_is_endless(facts: Facts) -> Facts:
    for group in facts["optimizer"].param_groups:
        group["lr"] = float("inf")
    return facts
