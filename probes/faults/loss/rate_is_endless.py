from diagnose import fault
from probes.faults.kit.changes import Facts


def _endless(facts: Facts) -> bool:
    return any(group["lr"] == float("inf") for group in facts["optimizer"].param_groups)


@fault(id="rate_is_endless", description="the learning rate is infinite", probe_id="LOS059", is_present=_endless)
def rate_is_endless(facts: Facts) -> Facts:
    for group in facts["optimizer"].param_groups:
        group["lr"] = float("inf")
    return facts
