from diagnose import fault
from probes.faults.kit.argument_changes import with_fp16
from probes.faults.kit.changes import Facts


@fault(
    id="half_precision_in_t5",
    description="an mT5 is to be trained in fp16",
    probe_id="CFG018",
    is_present=lambda facts: facts["precision"] == "fp16",
    applies_to=("mt5",),
)
def half_precision_in_t5(facts: Facts) -> Facts:
    return with_fp16(facts, "cpu", "cuda:0")
