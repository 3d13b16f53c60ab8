from diagnose import fault
from probes.facts.memory.limits import OVERHEAD, bytes_of
from probes.faults.kit.changes import Facts


@fault(
    "the memory of the device is no more than CUDA itself takes",
    "MEM001",
    lambda facts: bytes_of(facts.get("device_memory", "1TB")) <= OVERHEAD,
)
def device_without_headroom(facts: Facts) -> Facts:
    return facts | {"device_memory": f"{OVERHEAD}"}
