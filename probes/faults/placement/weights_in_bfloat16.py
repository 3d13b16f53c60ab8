from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    id="weights_in_bfloat16",
    description="the checkpoint's 16-bit type is kept for training",
    probe_id="PLC002",
    is_present=lambda facts: all("bfloat16" in str(one.dtype) for one in facts["model"].parameters()),
)
def weights_in_bfloat16(facts: Facts) -> Facts:
    facts["model"].bfloat16()
    return facts
