from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    id="device_not_there",
    breaks="the run names a GPU that the machine does not have",
    named_by="ENV007",
    proof=lambda facts: argument(facts, "device") is not None,
)
def device_not_there(facts: Facts) -> Facts:
    return with_arguments(facts, device="cuda:63")
