from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    id="device_not_there",
    description="the run names a GPU that the machine does not have",
    probe_id="ENV007",
    is_present=lambda facts: argument(facts, "device") is not None,
)
def device_not_there(facts: Facts) -> Facts:
    return with_arguments(facts, device="cuda:63")
