from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "the run names a GPU that the machine does not have", "ENV007", lambda facts: argument(facts, "device") is not None
)
def device_not_there(facts: Facts) -> Facts:
    return with_arguments(facts, device="cuda:63")
