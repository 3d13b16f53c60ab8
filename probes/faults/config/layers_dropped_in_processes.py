from diagnose import fault
from probes.faults.changes import Facts


@fault(
    "layers_dropped_in_processes",
    "layer drop under checkpointing in two processes",
    "CFG011",
    lambda f: "checkpointed" in f,
)
def layers_dropped_in_processes(facts: Facts) -> Facts:
    from probes.measured.configuration import Checkpointed

    return {**facts, "checkpointed": Checkpointed(reentrant=False, layer_drop=0.1, processes=2)}
