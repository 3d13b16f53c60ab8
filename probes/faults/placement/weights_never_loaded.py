from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import first_linear, first_weight, with_optimizer


@fault("a layer is left on the meta device", "PLC001", lambda facts: first_weight(facts).is_meta)
def weights_never_loaded(facts: Facts) -> Facts:
    first_linear(facts).to("meta")
    return with_optimizer(facts)
