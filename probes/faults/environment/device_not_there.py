from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    id="device_not_there",
    breaks="the run names a GPU that the machine does not have",
    named_by="ENV007",
    proof=lambda facts: argument(facts, "device") is not None,
)
def device_not_there(facts: Facts) -> Facts:
    return with_arguments(facts, device="cuda:63")
