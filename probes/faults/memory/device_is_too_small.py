from diagnose import fault
from probes.facts.memory.limits import bytes_of
from probes.faults.kit.changes import Facts

SMALL = "1KB"


@fault(
    "the run is to train on a device with hardly any memory",
    "MEM001",
    lambda facts: bytes_of(facts.get("device_memory", "1TB")) < sum(one.nbytes for one in facts["model"].parameters()),
)
def device_is_too_small(facts: Facts) -> Facts:
    return facts | {"device_memory": SMALL}
